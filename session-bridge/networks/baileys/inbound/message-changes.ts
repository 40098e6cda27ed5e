// Messages that change others: deletions, edits, disappearing timers and reactions. They are read from the message that carries
// them; the library's derived events lose its id, by which a repetition is told.
import { proto, type WAMessage } from "baileys";
import type { KeyedEvent } from "../../../../src/protocol/events.ts";
import type { Person } from "../../../../src/protocol/ids.ts";
import type { Place } from "../content/network-message.ts";
import { numberOf } from "../content/numbers.ts";
import { viewOf } from "../content/view.ts";
import { worded } from "../content/mention-text.ts";
import { DEDUPE } from "../session/dedupe-keys.ts";
import { timersOf } from "../memory/disappearing-timers.ts";
import { identityOf } from "../addressing/own-identity.ts";
import { bookOf } from "../addressing/phone-book.ts";
import type { SessionContext } from "../session/session-context.ts";
import { releasesOf } from "./chat-event-queue.ts";

const { Type } = proto.Message.ProtocolMessage;

export function deletionOrEdit(ctx: SessionContext, message: WAMessage, place: Place, change: proto.Message.IProtocolMessage): void {
  const event = changeEvent(ctx, message, place, change);
  if (event) releasesOf(ctx.link).inTurn(ctx, place.chatId, () => ctx.emit([event]));
}

function changeEvent(ctx: SessionContext, message: WAMessage, place: Place, change: proto.Message.IProtocolMessage): KeyedEvent | null {
  const { chatId } = place;
  const ownId = message.key.id ?? "";
  const timestamp = numberOf(message.messageTimestamp);
  switch (change.type) {
    case Type.REVOKE: {
      const target = change.key?.id;
      if (!target) return null;
      const { fromMe, author } = authorOf(ctx, place, change.key ?? {});
      const by = place.fromMe ? identityOf(ctx.link).own : place.sender;
      return {
        key: DEDUPE.change("delete", chatId, ownId),
        event: { type: "message.deleted", chat_id: chatId, message_id: target, from_me: fromMe, author, by, timestamp },
      };
    }
    case Type.MESSAGE_EDIT: {
      const target = change.key?.id;
      const text = viewOf(change.editedMessage)?.text;
      if (!target || text === null || text === undefined) return null;
      return {
        key: DEDUPE.change("edit", chatId, ownId),
        event: {
          type: "message.edited",
          chat_id: chatId,
          message_id: target,
          from_me: place.fromMe,
          sender: place.sender,
          text: worded(text, bookOf(ctx.link)),
          timestamp: Math.floor(numberOf(change.timestampMs) / 1000) || timestamp,
        },
      };
    }
    case Type.EPHEMERAL_SETTING:
      // In groups the server's own notice says so, with its author.
      if (chatId.endsWith("@g.us")) return null;
      timersOf(ctx.link).set(chatId, change.ephemeralExpiration ?? 0);
      return {
        key: DEDUPE.change("disappearing", chatId, ownId),
        event: { type: "chat.updated", chat_id: chatId, disappearing_seconds: change.ephemeralExpiration ?? 0, timestamp },
      };
    default:
      return null;
  }
}

// The key of a deletion is written from the point of view of whoever deletes.
function authorOf(ctx: SessionContext, place: Place, target: proto.IMessageKey): { fromMe: boolean; author: Person | null } {
  if (target.fromMe) return { fromMe: place.fromMe, author: place.sender };
  const book = bookOf(ctx.link);
  if (target.participant) {
    const fromMe = book.isOwn(target.participant);
    return { fromMe, author: fromMe ? null : book.person(target.participant) };
  }
  return { fromMe: !place.fromMe, author: null };
}

export function reaction(ctx: SessionContext, message: WAMessage, place: Place, { key, text }: proto.Message.IReactionMessage): void {
  if (!key?.id) return;
  const event: KeyedEvent = {
    key: DEDUPE.change("reaction", place.chatId, message.key.id ?? ""),
    event: {
      type: "message.reaction",
      chat_id: place.chatId,
      message_id: key.id,
      from_me: place.fromMe,
      sender: place.sender,
      reaction: text ?? "",
      timestamp: numberOf(message.messageTimestamp),
    },
  };
  releasesOf(ctx.link).inTurn(ctx, place.chatId, () => ctx.emit([event]));
}
