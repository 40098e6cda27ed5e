// Messages that change others. How the network shall treat them is in the stanza's `edit` attribute.
import { proto, type WAMessageKey } from "baileys";
import type { MessageRef, SendContent } from "../../../../../src/protocol/content.ts";
import type { Outcome } from "../../../../../src/protocol/failures.ts";
import { jidOfChat } from "../../addressing/jids.ts";
import { authorJid } from "../../memory/message-keys.ts";
import { sketched, type DraftParts, type Sketch } from "./message-builder.ts";

type Of<K extends SendContent["kind"]> = Extract<SendContent, { kind: K }>;

const EDIT = { edited: "1", pinned: "2", deletedOwn: "7", deletedByAdmin: "8" } as const;

export const reaction = ({ target, reaction: text }: Of<"reaction">, parts: DraftParts): Outcome<Sketch> =>
  sketched({ react: { text, key: keyOf(target, parts) } });

export const edit = ({ target, text }: Of<"edit">, parts: DraftParts): Outcome<Sketch> =>
  sketched({ text, linkPreview: null, edit: keyOf(target, parts) }, { attributes: { edit: EDIT.edited } });

export function deletion({ target }: Of<"delete">, parts: DraftParts): Outcome<Sketch> {
  const byAdmin = target.chat_id.endsWith("@g.us") && !target.from_me;
  return sketched({ delete: keyOf(target, parts) }, { attributes: { edit: byAdmin ? EDIT.deletedByAdmin : EDIT.deletedOwn } });
}

export function pin({ target, seconds }: Of<"pin">, parts: DraftParts): Outcome<Sketch> {
  const { PIN_FOR_ALL, UNPIN_FOR_ALL } = proto.PinInChat.Type;
  const content = {
    pin: keyOf(target, parts),
    type: seconds === null ? UNPIN_FOR_ALL : PIN_FOR_ALL,
    // The network offers 24 hours, 7 days and 30 days; surfaces let nothing else through.
    ...(seconds !== null && { time: seconds as 86_400 }),
  };
  return sketched(content, { attributes: { edit: EDIT.pinned } });
}

/** In groups it is a setting, not a message (`launch.ts`). */
export const disappearing = ({ seconds }: Of<"disappearing">): Outcome<Sketch> => sketched({ disappearingMessagesInChat: seconds });

function keyOf({ chat_id, message_id, from_me, participant }: MessageRef, { ctx, recipient, request, byLid }: DraftParts): WAMessageKey {
  const shared = recipient.subject === "group" || recipient.subject === "status";
  const author = participant && shared && !from_me ? authorJid(ctx.link, participant, byLid ? "lid" : "pn") : null;
  return {
    remoteJid: chat_id === request.chat_id ? recipient.jid : jidOfChat(chat_id),
    id: message_id,
    fromMe: from_me,
    ...(author !== null && { participant: author }),
  };
}
