import { personOf } from "@gateway/protocol/ids.ts";
import { STATUS_FEED } from "../statuses/status-posts.ts";
import type { EventHandlers } from "../projection/projection-context.ts";

type ChatEvent =
  | "chat.updated"
  | "chat.deleted"
  | "chat.cleared"
  | "channel.updated"
  | "channel.removed"
  | "label.updated"
  | "label.deleted"
  | "label.chat";

export const chatEventHandlers: EventHandlers<ChatEvent> = {
  "chat.updated": (event, { stores, now }) => {
    if (event.chat_id !== STATUS_FEED) stores.chats.change(event, now);
  },

  "chat.deleted": ({ chat_id, through }, { stores, now }) => {
    if (through !== undefined && stores.messages.hasNewer(chat_id, through)) {
      stores.messages.removeThrough(chat_id, through, now);
      stores.chats.limitUnread(chat_id);
      return;
    }
    stores.messages.removeAll(chat_id, now);
    stores.chats.remove(chat_id);
  },

  "chat.cleared": ({ chat_id }, { stores, now }) => {
    stores.messages.removeAll(chat_id, now);
    stores.chats.clear(chat_id);
  },

  "channel.updated": (event, { stores }) => {
    stores.channels.change(event);
    if (event.name !== undefined) stores.chats.rename(event.channel_id, event.name);
  },

  "channel.removed": ({ channel_id }, { stores }) => stores.channels.remove(channel_id),

  "label.updated": (event, context) => {
    const { label_id, name, color, timestamp } = event;
    if (context.stores.labels.put(event)) context.emit({ type: "label.updated", label_id, name, color, timestamp }, timestamp);
  },

  "label.deleted": ({ label_id, timestamp }, context) => {
    const { labels } = context.stores;
    const removed = labels.remove(label_id);
    // Ignores a repeated deletion: the bridge repeats it if the network's response was lost.
    if (removed === null && labels.nameOf(label_id) !== null) return;
    context.emit({ type: "label.deleted", label_id, name: removed?.name ?? null, timestamp }, timestamp);
  },

  "label.chat": ({ label_id, chat_id, labelled, timestamp }, context) => {
    if (!context.stores.labels.labelChat(label_id, chat_id, labelled)) return;
    const name = context.stores.labels.nameOf(label_id);
    const phone = personOf(chat_id)?.phone ?? null;
    context.emit({ type: "label.chat", label_id, name, chat_id, phone, labelled, timestamp }, timestamp);
  },
};
