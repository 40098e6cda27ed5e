// Message changes: reactions, edits, deletions, votes, stars, late media.
import { type ChatId, chatIdOf, chatKind, type Person, personOf } from "@gateway/protocol/ids.ts";
import type { EventHandlers } from "../projection/projection-context.ts";
import { mayDelete, type OutOfOrderDeletion, type OutOfOrderEdit, storeOutOfOrderEdit } from "./apply-out-of-order.ts";

type Change =
  | "message.media"
  | "message.reaction"
  | "message.edited"
  | "message.deleted"
  | "message.removed"
  | "message.starred"
  | "poll.vote"
  | "label.message";

export const messageChangeEventHandlers: EventHandlers<Change> = {
  "message.media": ({ chat_id, message_id, media }, { stores, now }) => {
    if (stores.messages.setMedia(chat_id, message_id, media) || stores.messages.hasArrived(chat_id, message_id)) return;
    stores.outOfOrder.add(chat_id, message_id, "media", media, now);
  },

  "message.reaction": (event, context) => {
    const { chat_id, message_id, from_me, reaction, timestamp } = event;
    const sender = from_me ? null : orChatPartner(event.sender, chat_id);
    const isNewest = context.stores.reactions.put(chat_id, message_id, actor(from_me, sender), reaction, timestamp);
    if (isNewest) context.emit({ ...event, sender }, timestamp);
  },

  "message.edited": (event, context) => {
    const { chat_id, message_id, from_me, text, timestamp } = event;
    const sender = from_me ? null : orChatPartner(event.sender, chat_id);
    const edit: OutOfOrderEdit = { text, at: timestamp * 1000, from_me, sender };
    const result = context.stores.messages.edit({ chat_id, message_id, from_me, sender }, text, edit.at);
    const isNewest =
      result === "absent" ? storeOutOfOrderEdit(context.stores, chat_id, message_id, edit, context.now) : result === "changed";
    if (isNewest) context.emit({ ...event, sender }, timestamp);
  },

  "message.deleted": (event, context) => {
    const { chat_id, message_id, from_me, by, timestamp } = event;
    const { groups, messages, outOfOrder } = context.stores;
    // The sender of a deletion chooses the author in its key, so that author is only trusted if the message is not stored.
    const known = messages.author(event);
    const author = from_me ? null : known === null ? (event.author ?? personOf(chat_id)) : known.sender;
    if (!mayDelete(by, author, event, context.stores)) return;
    const deletion: OutOfOrderDeletion = { at: timestamp * 1000, from_me, by };
    const erased = messages.erase({ chat_id, message_id, from_me }, deletion.at);
    if (!erased) outOfOrder.add(chat_id, message_id, `delete ${by === null ? "" : chatIdOf(by)}`, deletion, context.now);
    // Others' status posts are not announced as messages, and neither are their deletions.
    if (!from_me && chatKind(chat_id) === "status") return;
    // Nobody can check whose message a member of a group claims to delete, unless it is stored.
    const isClaimed = known === null && chatKind(chat_id) === "group" && by !== null && !groups.isMe(by);
    context.emit({ ...event, author: isClaimed ? null : author }, timestamp);
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
    const isNewest = context.stores.votes.put(chat_id, message_id, actor(from_me, voter), options, timestamp);
    // Only other people's votes on the number's own polls are events (docs/use/events.md, "Connection API events").
    if (isNewest && !from_me && context.stores.votes.isOwnPoll(chat_id, message_id)) context.emit({ ...event, voter }, timestamp);
  },

  "label.message": ({ label_id, chat_id, message_id, labelled }, { stores }) =>
    stores.labels.labelMessage(label_id, chat_id, message_id, labelled),
};

/** In a one-to-one chat, a change without a person was made by the chat partner. */
function orChatPartner(person: Person | null, chatId: ChatId): Person | null {
  return person ?? personOf(chatId);
}

const UNKNOWN_PERSON: Person = { phone: null, lid: "0" };

/** The change's author: null for the number itself, or a placeholder if the network does not report the person. */
function actor(fromMe: boolean, person: Person | null): Person | null {
  return fromMe ? null : (person ?? UNKNOWN_PERSON);
}
