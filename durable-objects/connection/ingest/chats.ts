// Chats, channels and labels as they change.
import { personOf } from "../../../src/protocol/ids.ts";
import { STATUS_FEED } from "../store/status-posts.ts";
import type { TakerOf } from "./taking.ts";

type ChatEvent =
  | "chat.updated"
  | "chat.deleted"
  | "chat.cleared"
  | "channel.updated"
  | "channel.removed"
  | "label.updated"
  | "label.deleted"
  | "label.chat";

export const chats: TakerOf<ChatEvent> = {
  "chat.updated": (event, { stores, now }) => {
    if (event.chat_id !== STATUS_FEED) stores.chats.change(event, now);
  },

  "chat.deleted": ({ chat_id }, { stores, now }) => {
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

  "label.updated": (event, taking) => {
    const { label_id, name, color, timestamp } = event;
    if (taking.stores.labels.put(event)) taking.tell({ type: "label.updated", label_id, name, color, timestamp }, timestamp);
  },

  "label.deleted": ({ label_id, timestamp }, taking) => {
    const removed = taking.stores.labels.remove(label_id);
    taking.tell({ type: "label.deleted", label_id, name: removed?.name ?? null, timestamp }, timestamp);
  },

  "label.chat": ({ label_id, chat_id, labelled, timestamp }, taking) => {
    if (!taking.stores.labels.labelChat(label_id, chat_id, labelled)) return;
    const name = taking.stores.labels.nameOf(label_id);
    const phone = personOf(chat_id)?.phone ?? null;
    taking.tell({ type: "label.chat", label_id, name, chat_id, phone, labelled, timestamp }, timestamp);
  },
};
