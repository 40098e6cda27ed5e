// Groups as they change; what a change through the API does to the store is the same, and told by the network.
import type { GroupSnapshot } from "../../../src/protocol/groups.ts";
import type { ChatId } from "../../../src/protocol/ids.ts";
import type { GroupChange } from "../store/groups.ts";
import type { Stores } from "../store/stores.ts";
import type { TakerOf } from "./taking.ts";

export const groups: TakerOf<"group.snapshot" | "group.removed" | "group.participants" | "group.updated"> = {
  "group.snapshot": ({ group }, { stores, now }) => rememberGroup(stores, group, now),

  "group.removed": ({ group_id }, { stores }) => stores.groups.remove(group_id),

  "group.participants": (event, taking) => {
    taking.stores.groups.changeMembers(event);
    const joined = event.action === "join" && event.participants.some((participant) => participant.is_me);
    if (joined) taking.stores.chats.make(event.chat_id, event.timestamp, taking.now);
    taking.tell(event, event.timestamp);
  },

  "group.updated": (event, taking) => {
    rememberGroupChange(taking.stores, event.chat_id, event.changed, taking.now);
    taking.tell(event, event.timestamp);
  },
};

/** The whole of a group, as the network has just shown it. `now` in Unix ms. */
export function rememberGroup(stores: Stores, group: GroupSnapshot, now: number): void {
  for (const { person } of group.participants) {
    if (person.phone !== null && person.lid !== null) stores.unite(person.lid, person.phone);
  }
  stores.groups.replace(group, now);
  stores.chats.rename(group.group_id, group.subject);
}

export function rememberGroupChange(stores: Stores, groupId: ChatId, changed: GroupChange, now: number): void {
  stores.groups.change(groupId, changed);
  if (changed.subject !== undefined) stores.chats.rename(groupId, changed.subject);
  if (changed.disappearing_seconds !== undefined) {
    stores.chats.change({ chat_id: groupId, disappearing_seconds: changed.disappearing_seconds }, now);
  }
}
