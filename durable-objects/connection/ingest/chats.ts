// Chats, groups, channels and labels as they change.
import { personOf } from "../../../src/protocol/ids.ts";
import { STATUS_FEED } from "../store/status-posts.ts";
import type { TakerOf } from "./taking.ts";

type ChatEvent =
  | "chat.updated" | "chat.deleted" | "chat.cleared"
  | "group.snapshot" | "group.removed" | "group.participants" | "group.updated"
  | "channel.updated" | "channel.removed"
  | "label.updated" | "label.deleted" | "label.chat";

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

  "group.snapshot": ({ group }, { stores }) => {
    for (const { person } of group.participants) {
      if (person.phone !== null && person.lid !== null) stores.unite(person.lid, person.phone);
    }
    stores.groups.replace(group);
    stores.chats.rename(group.group_id, group.subject);
  },

  "group.removed": ({ group_id }, { stores }) => stores.groups.remove(group_id),

  "group.participants": (event, taking) => {
    const { type: _, ...change } = event;
    taking.stores.groups.changeMembers(change);
    const joined = change.action === "join" && change.participants.some((participant) => participant.is_me);
    if (joined) taking.stores.chats.make(change.chat_id, change.timestamp, taking.now);
    taking.tell(event, event.timestamp);
  },

  "group.updated": (event, taking) => {
    const { chat_id, changed, timestamp } = event;
    taking.stores.groups.change(chat_id, changed);
    if (changed.subject !== undefined) taking.stores.chats.rename(chat_id, changed.subject);
    if (changed.disappearing_seconds !== undefined) {
      taking.stores.chats.change({ chat_id, disappearing_seconds: changed.disappearing_seconds }, taking.now);
    }
    taking.tell(event, timestamp);
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
