// Messages that change other messages. The stanza's `edit` attribute names the kind of change.
import { proto, type WAMessageKey } from "baileys";
import type { MessageRef, SendContent } from "@gateway/protocol/content.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";
import { jidOfChat } from "../../addressing/jids.ts";
import { authorJid } from "../../memory/message-keys.ts";
import { built, type BuildContext, type BuiltContent } from "./message-builder.ts";

type Of<K extends SendContent["kind"]> = Extract<SendContent, { kind: K }>;

const EDIT_ATTRIBUTE = { edited: "1", pinned: "2", deletedOwn: "7", deletedByAdmin: "8" } as const;

export const reaction = ({ target, reaction: text }: Of<"reaction">, context: BuildContext): Outcome<BuiltContent> =>
  built({ react: { text, key: keyOf(target, context) } });

export const edit = ({ target, text }: Of<"edit">, context: BuildContext): Outcome<BuiltContent> =>
  built({ text, linkPreview: null, edit: keyOf(target, context) }, { attributes: { edit: EDIT_ATTRIBUTE.edited } });

export function deletion({ target }: Of<"delete">, context: BuildContext): Outcome<BuiltContent> {
  const byAdmin = target.chat_id.endsWith("@g.us") && !target.from_me;
  return built(
    { delete: keyOf(target, context) },
    { attributes: { edit: byAdmin ? EDIT_ATTRIBUTE.deletedByAdmin : EDIT_ATTRIBUTE.deletedOwn } },
  );
}

export function pin({ target, seconds }: Of<"pin">, context: BuildContext): Outcome<BuiltContent> {
  const { PIN_FOR_ALL, UNPIN_FOR_ALL } = proto.PinInChat.Type;
  const content = {
    pin: keyOf(target, context),
    type: seconds === null ? UNPIN_FOR_ALL : PIN_FOR_ALL,
    // The network offers 24 hours, 7 days and 30 days; the APIs accept no other.
    ...(seconds !== null && { time: seconds as 86_400 }),
  };
  return built(content, { attributes: { edit: EDIT_ATTRIBUTE.pinned } });
}

/** In groups this is a setting, not a message (`dispatch.ts`). */
export const disappearing = ({ seconds }: Of<"disappearing">): Outcome<BuiltContent> => built({ disappearingMessagesInChat: seconds });

function keyOf({ chat_id, message_id, from_me, participant }: MessageRef, { ctx, recipient, request, byLid }: BuildContext): WAMessageKey {
  const shared = recipient.subject === "group" || recipient.subject === "status";
  const author = participant && shared && !from_me ? authorJid(ctx.session, participant, byLid ? "lid" : "pn") : null;
  return {
    remoteJid: chat_id === request.chat_id ? recipient.jid : jidOfChat(chat_id),
    id: message_id,
    fromMe: from_me,
    ...(author !== null && { participant: author }),
  };
}
