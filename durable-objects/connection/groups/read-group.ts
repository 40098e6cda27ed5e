import { fail, type Failure, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { type ChatId, type Person, personOf } from "@gateway/protocol/ids.ts";
import type { GroupRecord } from "@gateway/protocol/groups.ts";
import { storeGroupSnapshot } from "./projection.ts";
import type { NetworkClient } from "../session/network-client.ts";
import type { Stores } from "../store/stores.ts";
import type { HandlersOf } from "../handlers.ts";

/** How long a full snapshot stays fresh, because events keep it current (docs/use/apis.md, "Groups, contacts, labels, channels"). */
const SNAPSHOT_MAX_AGE_MS = 300_000;
/** Minimum interval between reads of the whole list (docs/use/apis.md, "Groups, contacts, labels, channels"). */
const REFRESH_INTERVAL_MS = 600_000;
/** Long, because a number may be in a thousand groups, and the bridge responds only once all of them are stored. */
const REFRESH_TIMEOUT_MS = 60_000;

/** Reads the group with its participants, from the store while the network is unreachable. */
export async function readGroup(network: NetworkClient, stores: Stores, groupId: ChatId): Promise<Outcome<GroupRecord>> {
  const readAt = stores.groups.snapshotAt(groupId);
  const fresh = readAt !== null && readAt > Date.now() - SNAPSHOT_MAX_AGE_MS;
  const result = fresh ? null : await network.command("groups.get", { group_id: groupId });
  if (result?.ok === true) storeGroupSnapshot(stores, result.value, Date.now());
  if (result?.ok === false && isNotMember(result.failure)) stores.groups.remove(groupId);
  const stored = stores.groups.get(groupId);
  if (stored !== null) return succeed(stored);
  return result?.ok === false ? result : fail("group_not_found");
}

/** The network refuses to read or leave a group only if the group does not exist or the number is not a member. */
export function isNotMember({ code }: Failure): boolean {
  return code === "group_not_found" || code === "not_group_admin";
}

export function personsOf(chatIds: readonly ChatId[]): Person[] {
  return [...new Set(chatIds)].flatMap((chatId) => personOf(chatId) ?? []);
}

export function groupReadHandlers(network: NetworkClient, stores: Stores): HandlersOf<"groups.list" | "groups.get" | "groups.requests"> {
  return {
    "groups.list": async ({ refresh, ...query }) => {
      const refreshed = refresh ? await refreshGroups(network, stores) : null;
      return refreshed?.ok === false ? refreshed : stores.groups.list(query);
    },

    "groups.get": ({ group_id }) => readGroup(network, stores, group_id),

    "groups.requests": async ({ group_id }) => {
      const result = await network.command("groups.requests", { group_id });
      return result.ok ? succeed({ items: result.value.requests }) : result;
    },
  };
}

async function refreshGroups(network: NetworkClient, stores: Stores): Promise<Outcome<unknown> | null> {
  if (!stores.refreshTimes.claim("groups", Date.now(), REFRESH_INTERVAL_MS)) return null;
  const before = stores.groups.ids();
  const result = await network.command("groups.refresh", {}, REFRESH_TIMEOUT_MS);
  if (!result.ok) {
    // There was no session, so no request reached the network, and the next refresh may try again.
    if (result.failure.code === "instance_not_connected" || result.failure.code === "instance_reconnecting")
      stores.refreshTimes.release("groups");
    return result;
  }
  // Deletes groups that are not listed, because the number has left them. Groups joined during the refresh stay.
  const listed = new Set(result.value.group_ids);
  for (const groupId of before) if (!listed.has(groupId)) stores.groups.remove(groupId);
  return result;
}
