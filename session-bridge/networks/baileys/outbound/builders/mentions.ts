import type { AnyMessageContent } from "baileys";
import { jidOfPerson } from "../../addressing/jids.ts";
import { lidMappingOf } from "../../addressing/lid-mapping.ts";
import type { BuildContext } from "./message-builder.ts";

type Mention = { jid: string; written: string; network: string };

/** Groups addressed by LID mention by LID, and phones look for the LID after the `@` in the text. */
export function mentionJids({ ctx, request, byLid }: BuildContext): Mention[] {
  const lids = lidMappingOf(ctx.session);
  return request.mentions.flatMap((person) => {
    const phone = person.phone ?? (person.lid === null ? null : lids.phoneOf(person.lid));
    const lid = person.lid ?? (person.phone === null ? null : lids.lidOf(person.phone));
    const jid = jidOfPerson({ phone, lid }, byLid ? "lid" : "pn");
    if (jid === null) return [];
    return [{ jid, written: phone ?? lid ?? "", network: jid.slice(0, jid.indexOf("@")) }];
  });
}

export function withMentions(content: AnyMessageContent, mentions: readonly Mention[], all: boolean): AnyMessageContent {
  if (mentions.length === 0 && !all) return content;
  const mentioned = { ...content } as AnyMessageContent & { text?: string; caption?: string };
  for (const field of ["text", "caption"] as const) {
    const text = mentioned[field];
    if (typeof text === "string")
      mentioned[field] = mentions.reduce((written, mention) => written.replaceAll(`@${mention.written}`, `@${mention.network}`), text);
  }
  return { ...mentioned, ...(mentions.length > 0 && { mentions: mentions.map(({ jid }) => jid) }), ...(all && { mentionAll: true }) };
}
