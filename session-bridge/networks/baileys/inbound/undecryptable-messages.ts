// Messages that could not be decrypted. The library asks the sender to send them again; only what does not come within a minute
// is told of, as a stand-in that the message itself may still replace (docs/durability.md, "Messages that cannot be decrypted").
import { WAMessageStubType, type WAMessage } from "baileys";
import type { MessageOrigin } from "../../../../src/protocol/events.ts";
import { type NetworkMessage, NO_EXTRAS } from "../../../../src/protocol/message.ts";
import { numberOf } from "../content/numbers.ts";
import { placeOf } from "../content/network-message.ts";
import { DEDUPE } from "../session/dedupe-keys.ts";
import { bookOf } from "../addressing/phone-book.ts";
import { perSession } from "../session/per-session.ts";
import type { SessionContext, SessionLink } from "../session/session-context.ts";
import { releasesOf } from "./chat-event-queue.ts";

const RESEND_WAIT_MS = 60_000;

/** Their time limits, by message id. */
const unreadOf = perSession(() => new Map<string, NodeJS.Timeout>());

export function isUnread({ messageStubType, message }: WAMessage): boolean {
  return messageStubType === WAMessageStubType.CIPHERTEXT && !message;
}

export function holdUnread(ctx: SessionContext, message: WAMessage, origin: MessageOrigin): void {
  const id = message.key.id ?? "";
  const unread = unreadOf(ctx.link);
  const place = placeOf(message, bookOf(ctx.link));
  // Talk between our own devices is nobody's message.
  if (place === null || id === "" || unread.has(id) || message.category === "peer") return;
  ctx.logger.info({ messageId: id }, "message.unreadable");
  const event = { type: "message.upsert" as const, origin, message: standIn(message, place) };
  const timer = setTimeout(() => {
    unread.delete(id);
    releasesOf(ctx.link).inTurn(ctx.link, place.chatId, () =>
      ctx.link.emit([{ key: DEDUPE.placeholder(place.chatId, place.fromMe, id), event }]),
    );
  }, RESEND_WAIT_MS);
  timer.unref();
  unread.set(id, timer);
}

/** The message has come after all. */
export function releaseUnread(link: SessionLink, id: string): void {
  const unread = unreadOf(link);
  if (unread.size === 0) return;
  clearTimeout(unread.get(id));
  unread.delete(id);
}

function standIn(message: WAMessage, { chatId, fromMe, sender }: NonNullable<ReturnType<typeof placeOf>>): NetworkMessage {
  return {
    message_id: message.key.id ?? "",
    chat_id: chatId,
    from_me: fromMe,
    sender,
    push_name: fromMe ? null : message.pushName || null,
    timestamp: numberOf(message.messageTimestamp),
    type: "undecrypted",
    text: null,
    media: null,
    ...NO_EXTRAS,
    raw: null,
  };
}
