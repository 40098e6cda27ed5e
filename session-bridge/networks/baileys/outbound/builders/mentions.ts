import type { AnyMessageContent } from "baileys";
import { jidOfPerson } from "../../addressing/jids.ts";
import { bookOf } from "../../addressing/phone-book.ts";
import type { DraftParts } from "./message-builder.ts";

type Mention = { jid: string; said: string; meant: string };

/** Groups that speak LIDs mention by LID, and their phones look for the LID after the `@` in the text. */
export function mentionJids({ ctx, request, byLid }: DraftParts): Mention[] {
  const book = bookOf(ctx.link);
  return request.mentions.flatMap((person) => {
    const phone = person.phone ?? (person.lid === null ? null : book.phoneOf(person.lid));
    const lid = person.lid ?? (person.phone === null ? null : book.lidOf(person.phone));
    const jid = jidOfPerson({ phone, lid }, byLid ? "lid" : "pn");
    if (jid === null) return [];
    return [{ jid, said: phone ?? lid ?? "", meant: jid.slice(0, jid.indexOf("@")) }];
  });
}

export function withMentions(content: AnyMessageContent, mentions: readonly Mention[], all: boolean): AnyMessageContent {
  if (mentions.length === 0 && !all) return content;
  const worded = { ...content } as AnyMessageContent & { text?: string; caption?: string };
  for (const field of ["text", "caption"] as const) {
    const wording = worded[field];
    if (typeof wording === "string")
      worded[field] = mentions.reduce((said, mention) => said.replaceAll(`@${mention.said}`, `@${mention.meant}`), wording);
  }
  return { ...worded, ...(mentions.length > 0 && { mentions: mentions.map(({ jid }) => jid) }), ...(all && { mentionAll: true }) };
}
