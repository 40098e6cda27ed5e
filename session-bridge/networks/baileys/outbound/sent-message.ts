// A send that went, as the contract tells it: the message as sent, and what it changed. The network does not echo own sends to the
// device that made them, so an edit or a reaction of ours is told here like one made on the phone.
import type { SendRequest } from "../../../../src/protocol/content.ts";
import type { KeyedEvent, NetworkEvent } from "../../../../src/protocol/events.ts";
import { personOf } from "../../../../src/protocol/ids.ts";
import type { NetworkMessage, StoredMedia } from "../../../../src/protocol/message.ts";
import { networkMessage } from "../content/network-message.ts";
import { rawOf } from "../content/raw-message.ts";
import { viewOf } from "../content/view.ts";
import { identityOf } from "../identity.ts";
import { bookOf } from "../lids.ts";
import { DEDUPE } from "../dedupe-keys.ts";
import { timersOf } from "../disappearing.ts";
import type { SessionContext } from "../session-context.ts";
import type { Flight } from "./flight.ts";

/** `timestamp`: Unix seconds, the network's. `sent` null when the network was asked directly and no message went. */
export function sentEvents(
  ctx: SessionContext,
  request: SendRequest,
  sent: Flight["sent"],
  timestamp: number,
): { message: NetworkMessage; changes: KeyedEvent[] } {
  const chatId = sent?.recipient.chatId ?? request.chat_id;
  const change = changeOf(ctx, request, chatId, timestamp);
  return {
    message: messageAsSent(ctx, request, sent, chatId, timestamp),
    changes: change ? [{ key: change.key, event: change.event }] : [],
  };
}

function messageAsSent(ctx: SessionContext, request: SendRequest, sent: Flight["sent"], chatId: string, timestamp: number): NetworkMessage {
  const { message_id: id, content } = request;
  const wire = {
    key: { remoteJid: sent?.recipient.jid ?? chatId, fromMe: true, id },
    message: sent?.draft.message ?? null,
    messageTimestamp: timestamp,
  };
  const view = viewOf(sent?.draft.message);
  if (view) {
    const message = networkMessage(wire, view, { chatId, fromMe: true, sender: null }, bookOf(ctx.link));
    return { ...message, media: withToken(message.media, sent?.draft.media ?? null) };
  }
  return {
    message_id: id,
    chat_id: chatId,
    from_me: true,
    sender: null,
    push_name: null,
    timestamp,
    type: content.kind,
    text: content.kind === "edit" ? content.text : content.kind === "reaction" ? content.reaction : null,
    media: null,
    location: null,
    contacts: null,
    poll: null,
    selected: null,
    quoted: null,
    mentions: [],
    forwarded: false,
    view_once: false,
    raw: sent ? rawOf(wire) : null,
  };
}

/** The bytes are with us already, under the token they were sent by. */
function withToken(described: StoredMedia | null, ours: StoredMedia | null): StoredMedia | null {
  if (!described || !ours) return described;
  const { token, mimetype, filename, size } = ours;
  return { ...described, token, mimetype, filename: filename ?? described.filename, size };
}

function changeOf(
  ctx: SessionContext,
  { message_id: id, content }: SendRequest,
  chatId: string,
  timestamp: number,
): { key: string | null; event: NetworkEvent } | null {
  switch (content.kind) {
    case "reaction":
      return {
        key: DEDUPE.change("reaction", chatId, id),
        event: {
          type: "message.reaction",
          chat_id: chatId,
          message_id: content.target.message_id,
          from_me: true,
          sender: null,
          reaction: content.reaction,
          timestamp,
        },
      };
    case "edit":
      return {
        key: DEDUPE.change("edit", chatId, id),
        event: {
          type: "message.edited",
          chat_id: chatId,
          message_id: content.target.message_id,
          from_me: true,
          sender: null,
          text: content.text,
          timestamp,
        },
      };
    case "delete": {
      const { from_me, message_id, participant } = content.target;
      return {
        key: DEDUPE.change("delete", chatId, id),
        event: {
          type: "message.deleted",
          chat_id: chatId,
          message_id,
          from_me,
          author: from_me ? null : (participant ?? personOf(chatId)),
          by: identityOf(ctx.link).own,
          timestamp,
        },
      };
    }
    case "disappearing":
      timersOf(ctx.link).set(chatId, content.seconds);
      return {
        key: DEDUPE.change("disappearing", chatId, id),
        event: { type: "chat.updated", chat_id: chatId, disappearing_seconds: content.seconds, timestamp },
      };
    default:
      return null;
  }
}
