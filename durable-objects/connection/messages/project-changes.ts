// Message changes: reactions, edits, deletions, votes, stars, late media.
import { type ChatId, chatKind, Person, personOf } from "@gateway/protocol/ids.ts";
import * as z from "zod";
import { markAccepted, type MessageProgress, applyReport, type StatusReport, UNREPORTED } from "@gateway/domain/messages/message-status.ts";
import { DeliveryStatus, type NetworkMessage, StoredMedia } from "@gateway/protocol/message.ts";
import type { Target } from "./messages.ts";
import type { ProjectionContext, EventHandlers } from "../projection/projection-context.ts";
import type { Stores } from "../store/stores.ts";

type Change =
  | "message.media"
  | "message.reaction"
  | "message.edited"
  | "message.deleted"
  | "message.removed"
  | "message.starred"
  | "poll.vote"
  | "label.message";

export const messageChangeHandlers: EventHandlers<Change> = {
  "message.media": ({ chat_id, message_id, media }, { stores, now }) => {
    if (stores.messages.setMedia(chat_id, message_id, media) || stores.messages.isGone(chat_id, message_id)) return;
    stores.outOfOrder.add(chat_id, message_id, "media", media, now);
  },

  "message.reaction": (event, context) => {
    const { chat_id, message_id, from_me, reaction, timestamp } = event;
    const sender = from_me ? null : orChatPartner(event.sender, chat_id);
    context.stores.reactions.put(chat_id, message_id, actor(from_me, sender), reaction, timestamp);
    context.emit({ ...event, sender }, timestamp);
  },

  "message.edited": (event, context) => {
    const { chat_id, message_id, from_me, text, timestamp } = event;
    const sender = from_me ? null : orChatPartner(event.sender, chat_id);
    const edit: OutOfOrderEdit = { text, at: timestamp * 1000, from_me, sender };
    const result = context.stores.messages.edit({ chat_id, message_id, from_me, sender }, text, edit.at);
    if (result === "refused") return;
    if (result === "absent") context.stores.outOfOrder.add(chat_id, message_id, "edit", edit, context.now);
    context.emit({ ...event, sender }, timestamp);
  },

  "message.deleted": (event, context) => {
    const { chat_id, message_id, from_me, timestamp } = event;
    const author = from_me ? null : (event.author ?? authorOf(chat_id, message_id, context));
    if (!mayDelete(event.by, author, event, context)) return;
    const deletion: OutOfOrderDeletion = { at: timestamp * 1000, from_me };
    const erased = context.stores.messages.erase({ chat_id, message_id, from_me }, deletion.at);
    if (!erased) context.stores.outOfOrder.add(chat_id, message_id, "delete", deletion, context.now);
    // Others' status posts are not announced as messages, and neither are their deletions.
    if (from_me || chatKind(chat_id) !== "status") context.emit({ ...event, author }, timestamp);
  },

  "message.removed": ({ chat_id, message_id }, { stores, now }) => {
    stores.messages.remove(chat_id, message_id, now);
    stores.chats.refreshLastMessage(chat_id);
  },

  "message.starred": ({ chat_id, message_id, starred }, { stores, now }) => {
    if (!stores.messages.star(chat_id, message_id, starred)) stores.outOfOrder.add(chat_id, message_id, "star", { starred }, now);
  },

  "poll.vote": (event, context) => {
    const { chat_id, message_id, from_me, options, timestamp } = event;
    const voter = from_me ? null : orChatPartner(event.voter, chat_id);
    context.stores.votes.put(chat_id, message_id, actor(from_me, voter), options, timestamp);
    // Only other people's votes on the number's own polls are events (docs/use/events.md, "Connection API events").
    if (!from_me && context.stores.votes.isOwnPoll(chat_id, message_id)) context.emit({ ...event, voter }, timestamp);
  },

  "label.message": ({ label_id, chat_id, message_id, labelled }, { stores }) =>
    stores.labels.labelMessage(label_id, chat_id, message_id, labelled),
};

/** In a one-to-one chat, a missing person means the chat partner. */
function orChatPartner(person: Person | null, chatId: ChatId): Person | null {
  return person ?? personOf(chatId);
}

const UNKNOWN_PERSON: Person = { phone: null, lid: "0" };

/** The change's author: null for the number itself, or a placeholder if the network does not name the person. */
function actor(fromMe: boolean, person: Person | null): Person | null {
  return fromMe ? null : (person ?? UNKNOWN_PERSON);
}

/** Only the author or a group admin may delete. The network forwards deletions that phones would refuse. */
function mayDelete(
  by: Person | null,
  author: Person | null,
  { chat_id, from_me }: Pick<Target, "chat_id" | "from_me">,
  { stores }: ProjectionContext,
): boolean {
  if (by === null || by.phone === null || stores.groups.isMe(by)) return true;
  const other = personOf(chat_id);
  if (other !== null) return !(from_me && other.phone === by.phone);
  const isAuthor = !from_me && (author === null || author.phone === null || author.phone === by.phone);
  return isAuthor || stores.groups.roleOf(chat_id, by) !== "member";
}

function authorOf(chatId: ChatId, messageId: string, { stores }: ProjectionContext): Person | null {
  return personOf(chatId) ?? stores.messages.find(messageId, chatId)?.ref.participant ?? null;
}

// Applies changes that arrived before their message, once it is stored. Their events were already emitted.
const Reports = z.array(z.object({ status: DeliveryStatus, at: z.number() }));
const Edit = z.object({ text: z.string(), at: z.number(), from_me: z.boolean(), sender: Person.nullable() });
const Deletion = z.object({ at: z.number(), from_me: z.boolean() });
const Star = z.object({ starred: z.boolean() });

type OutOfOrderEdit = z.infer<typeof Edit>;
type OutOfOrderDeletion = z.infer<typeof Deletion>;

export function storeOutOfOrderStatus(
  stores: Stores,
  chatId: string,
  messageId: string,
  update: StatusReport,
  now: number,
): { moved: boolean } {
  const stored = stores.outOfOrder.find(chatId, messageId, "status");
  const reports = stored === null ? [] : Reports.parse(JSON.parse(stored));
  const before = progressAfter(UNREPORTED, reports);
  const { moved, progress } = applyReport(before, update);
  if (progress !== before) stores.outOfOrder.add(chatId, messageId, "status", [...reports, update], now);
  return { moved };
}

export function applyOutOfOrder(message: NetworkMessage, no: number, stores: Stores): void {
  const { chat_id: chatId, message_id: messageId } = message;
  for (const { kind, value } of stores.outOfOrder.of(chatId, messageId)) {
    const stored: unknown = JSON.parse(value);
    switch (kind) {
      case "status":
        if (message.from_me) stores.ownMessages.setProgress(no, progressAfter(markAccepted(UNREPORTED), Reports.parse(stored)), null);
        break;
      case "edit": {
        const { text, at, ...author } = Edit.parse(stored);
        stores.messages.edit({ chat_id: chatId, message_id: messageId, ...author }, text, at);
        break;
      }
      case "delete": {
        const { at, from_me } = Deletion.parse(stored);
        stores.messages.erase({ chat_id: chatId, message_id: messageId, from_me }, at);
        break;
      }
      case "media":
        stores.messages.setMedia(chatId, messageId, StoredMedia.parse(stored));
        break;
      case "star":
        stores.messages.star(chatId, messageId, Star.parse(stored).starred);
        break;
    }
  }
  stores.outOfOrder.removeAll(chatId, messageId);
}

function progressAfter(start: MessageProgress, reports: readonly StatusReport[]): MessageProgress {
  return reports.reduce((progress, update) => applyReport(progress, update).progress, start);
}
