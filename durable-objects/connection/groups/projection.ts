// Applies group events. Changes through the API use the same functions, because the network reports changes as events too.
import type { GroupSnapshot } from "@gateway/protocol/groups.ts";
import type { ChatId } from "@gateway/protocol/ids.ts";
import type { GroupChange } from "./groups.ts";
import type { Stores } from "../store/stores.ts";
import type { EventHandlers } from "../projection/projection-context.ts";

export const groupEventHandlers: EventHandlers<"group.snapshot" | "group.removed" | "group.participants" | "group.updated"> = {
  "group.snapshot": ({ group }, { stores, now }) => storeGroupSnapshot(stores, group, now),

  "group.removed": ({ group_id }, { stores }) => stores.groups.remove(group_id),

  "group.participants": (event, context) => {
    context.stores.groups.changeMembers(event);
    const joined = event.action === "join" && event.participants.some((participant) => participant.is_me);
    if (joined) context.stores.chats.create(event.chat_id, event.timestamp, context.now);
    context.emit(event, event.timestamp);
  },

  "group.updated": (event, context) => {
    storeGroupChange(context.stores, event.chat_id, event.changed, context.now);
    context.emit(event, event.timestamp);
  },
};

export function storeGroupSnapshot(stores: Stores, group: GroupSnapshot, now: number): void {
  for (const { person } of group.participants) {
    if (person.phone !== null && person.lid !== null) stores.mergeIdentities(person.lid, person.phone);
  }
  // After a new pairing, the bridge may not know a person's phone number yet. Events identify people by phone number, so rows must too.
  const participants = group.participants.map(({ person, role }) => ({ person: stores.lids.person(person), role }));
  stores.groups.replace({ ...group, participants }, now);
  stores.chats.rename(group.group_id, group.subject);
}

export function storeGroupChange(stores: Stores, groupId: ChatId, changed: GroupChange, now: number): void {
  stores.groups.change(groupId, changed);
  if (changed.subject !== undefined) stores.chats.rename(groupId, changed.subject);
  if (changed.disappearing_seconds !== undefined) {
    stores.chats.change({ chat_id: groupId, disappearing_seconds: changed.disappearing_seconds }, now);
  }
}
