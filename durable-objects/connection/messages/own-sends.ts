// Projects sends from the API and the dashboard as the outbox reports them: accepted, then sent or failed.
import type { GatewayFact } from "@gateway/domain/gateway-event.ts";
import { applyReport, isBetterReason } from "@gateway/domain/messages/message-status.ts";
import type { SendRequest, MediaRef, SendContent } from "@gateway/protocol/content.ts";
import { personOf } from "@gateway/protocol/ids.ts";
import type { SendSettled } from "@gateway/protocol/events.ts";
import type { Failure } from "@gateway/protocol/failures.ts";
import { type NetworkMessage, NO_EXTRAS, type StoredMedia } from "@gateway/protocol/message.ts";
import { detailsOf, type Own } from "./message-record.ts";
import type { Stores } from "../store/stores.ts";
import { completePending, updateChat, emitMessageSent } from "./project-upserts.ts";
import { chatEventHandlers } from "../chats/projection.ts";
import { messageChangeEventHandlers } from "./project-changes.ts";
import { applyOutOfOrder } from "./apply-out-of-order.ts";
import { emitMessageStatus } from "./project-statuses.ts";
import { ProjectionContext } from "../projection/projection-context.ts";

type Acknowledged = Omit<Extract<SendSettled["outcome"], { kind: "acknowledged" }>, "kind" | "to_resolved">;
type SendSource = "api" | "dashboard";

export class OwnSendProjection {
  readonly #stores: Stores;

  constructor(stores: Stores) {
    this.#stores = stores;
  }

  isStored(messageId: string): boolean {
    return this.#stores.ownMessages.find(messageId) !== null;
  }

  /** Stores the message as `pending`. Stores nothing for a send that creates no message (reaction, edit, …). */
  accepted(request: SendRequest, source: SendSource, reference: string | null, now: number): void {
    const { lids, messages, ownMessages } = this.#stores;
    // A message that is already stored keeps its row, possibly under the chat id that the network resolved.
    if (ownMessages.find(request.message_id) !== null) return ownMessages.setPendingAgain(request.message_id);
    const pending = pendingMessageOf(request, quoteOf(request, this.#stores), Math.floor(now / 1000));
    if (pending === null) return;
    // Looks up the chat id again, because the chat's LID may have been resolved since the request.
    pending.chat_id = lids.chat(pending.chat_id);
    messages.store(pending, false, { status: "pending", failure: null, source, reference }, null);
  }

  /** Called when the network acknowledged the send. Emits `message.sent` once, or the result of the action (reaction, edit, deletion). */
  sent(request: SendRequest, acknowledged: Acknowledged, source: SendSource, reference: string | null, now: number): GatewayFact[] {
    const context = new ProjectionContext(this.#stores, now);
    context.startEvent(`own|${request.message_id}`);
    if (!applyToTarget(request, acknowledged.timestamp, context)) {
      const message = { ...acknowledged.message, timestamp: acknowledged.timestamp };
      storeSentMessage(request, message, source, reference, context);
    }
    return context.result.facts;
  }

  waitsAgain(messageId: string): void {
    this.#stores.ownMessages.withdrawPending(messageId);
  }

  /** Called when a send certainly failed. Emits `message.status` with `failed`, unless a receipt proved otherwise. */
  failed(messageId: string, failure: Failure, now: number): GatewayFact[] {
    const own = this.#stores.ownMessages.find(messageId);
    if (own === null) return [];
    const context = new ProjectionContext(this.#stores, now);
    const { progress, moved } = applyReport(own.progress, { status: "failed", at: now });
    if (!moved && !isBetterReason(own.progress, own.failure, failure)) return [];
    this.#stores.ownMessages.setProgress(own.no, progress, failure);
    emitMessageStatus(
      { chat_id: own.chatId, message_id: messageId, status: "failed", participant: null, failure, timestamp: context.nowSeconds },
      own,
      context,
    );
    return context.result.facts;
  }
}

function storeSentMessage(
  request: SendRequest,
  message: NetworkMessage,
  source: SendSource,
  reference: string | null,
  context: ProjectionContext,
): void {
  const { stores } = context;
  const known = stores.ownMessages.find(message.message_id);
  if (known !== null) {
    completePending(known, message, context);
    return;
  }
  const own: Own = { status: "sent", failure: null, source, reference };
  const pending = pendingMessageOf(request, quoteOf(request, stores), message.timestamp);
  const stored = stores.messages.store(withAsked(message, pending), true, own, message.timestamp * 1000);
  // `stored` is null if the owner has removed the message, which was sent nevertheless.
  if (stored !== null) updateChat(message, stored.no, 0, context);
  emitMessageSent(message, own, context);
  if (stored?.hasOutOfOrder === true) applyOutOfOrder(message, stored.no, stores);
}

/** Fills fields missing in the network's response from the request, as `Messages.complete` does. */
function withAsked(message: NetworkMessage, asked: NetworkMessage | null): NetworkMessage {
  if (asked === null) return message;
  const media = message.media === null || message.media.token === null ? asked.media : message.media;
  if (detailsOf(message) !== null) return { ...message, media };
  const { location, contacts, poll, selected, quoted, mentions, forwarded, view_once, background } = asked;
  const details = { location, contacts, poll, selected, quoted, mentions, forwarded, view_once };
  return { ...message, media, ...details, ...(background !== undefined && { background }) };
}

/** Applies a reaction, edit, deletion or chat change as if another device had made it. Returns false for a send that creates a message. */
function applyToTarget({ content, chat_id: chatId }: SendRequest, timestamp: number, context: ProjectionContext): boolean {
  switch (content.kind) {
    case "reaction": {
      const { chat_id, message_id } = content.target;
      const reaction = { chat_id, message_id, from_me: true, sender: null, reaction: content.reaction, timestamp };
      messageChangeEventHandlers["message.reaction"]({ type: "message.reaction", ...reaction }, context);
      return true;
    }
    case "edit": {
      const { chat_id, message_id, from_me } = content.target;
      messageChangeEventHandlers["message.edited"](
        { type: "message.edited", chat_id, message_id, from_me, sender: null, text: content.text, timestamp },
        context,
      );
      return true;
    }
    case "delete": {
      const { chat_id, message_id, from_me, participant } = content.target;
      messageChangeEventHandlers["message.deleted"](
        { type: "message.deleted", chat_id, message_id, from_me, author: participant, by: context.stores.groups.me(), timestamp },
        context,
      );
      return true;
    }
    case "disappearing":
      chatEventHandlers["chat.updated"]({ type: "chat.updated", chat_id: chatId, disappearing_seconds: content.seconds }, context);
      return true;
    default:
      return content.kind === "pin";
  }
}

function quoteOf({ quoted }: SendRequest, { lids, messages }: Stores): NetworkMessage["quoted"] {
  if (quoted === null) return null;
  const { message_id, from_me, participant, chat_id } = quoted.ref;
  const known = messages.find(message_id, lids.chat(chat_id));
  const from = participant ?? (from_me ? null : personOf(chat_id));
  return { message_id, from, from_me, text: known?.text ?? null, type: known?.type ?? "unknown" };
}

type ContentFields = Pick<NetworkMessage, "type" | "text"> &
  Partial<Pick<NetworkMessage, "media" | "location" | "contacts" | "poll" | "view_once" | "forwarded">>;

/** The message that a send creates, or null if the send changes a message or chat. `timestamp` is in Unix seconds. */
export function pendingMessageOf(request: SendRequest, quoted: NetworkMessage["quoted"], timestamp: number): NetworkMessage | null {
  const fields = fieldsOf(request.content);
  if (fields === null) return null;
  return {
    message_id: request.message_id,
    chat_id: request.chat_id,
    from_me: true,
    sender: null,
    push_name: null,
    timestamp,
    media: null,
    ...NO_EXTRAS,
    ...fields,
    quoted,
    mentions: request.mentions,
    raw: null,
  };
}

function fieldsOf(content: SendContent): ContentFields | null {
  switch (content.kind) {
    case "text":
      return { type: "text", text: content.text };
    case "image":
    case "video":
      return { type: content.kind, text: content.caption, media: mediaOf(content.media), view_once: content.view_once };
    case "audio":
    case "voice":
    case "sticker":
      return { type: content.kind, text: null, media: mediaOf(content.media) };
    case "document":
      return { type: "document", text: content.caption, media: mediaOf(content.media) };
    case "location":
      return { type: "location", text: content.location.name, location: content.location };
    case "contact":
      return { type: "contact", text: content.contacts.map((contact) => contact.full_name).join(", "), contacts: content.contacts };
    case "poll":
      return { type: "poll", text: content.poll.question, poll: content.poll };
    case "event":
      return { type: "event", text: content.name };
    case "group_invite":
      return { type: "group_invite", text: content.text };
    case "list":
      return { type: "list", text: content.body };
    case "buttons": {
      const { body, header } = content;
      return { type: "buttons", text: body, media: header === null || typeof header === "string" ? null : mediaOf(header) };
    }
    case "template":
      return { type: "template", text: null };
    case "forward":
      // Only the bridge knows the content, which arrives with the acknowledgement.
      return { type: "unknown", text: null, forwarded: true };
    case "reaction":
    case "edit":
    case "delete":
    case "pin":
    case "disappearing":
      return null;
  }
}

function mediaOf({ token, mimetype, filename, size }: MediaRef): StoredMedia {
  return { token, mimetype, filename, size, sha256: null, duration_seconds: null, width: null, height: null };
}
