// Reading one group, for all operations that need it.
import { fail, type Failure, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { type ChatId, type Person, personOf } from "@gateway/protocol/ids.ts";
import type { GroupRecord } from "@gateway/protocol/groups.ts";
import { storeGroupSnapshot } from "./projection.ts";
import type { NetworkClient } from "../session/network-client.ts";
import type { Stores } from "../store/stores.ts";

/** A full group snapshot counts as fresh for this long, as events keep it current (docs/use/apis.md, "Groups, contacts, labels, channels"). */
const SNAPSHOT_MAX_AGE_MS = 300_000;
/** With participants. While the network cannot be asked, the stored state answers. */
export async function readGroup(network: NetworkClient, stores: Stores, groupId: ChatId): Promise<Outcome<GroupRecord>> {
  const readAt = stores.groups.snapshotAt(groupId);
  const fresh = readAt !== null && readAt > Date.now() - SNAPSHOT_MAX_AGE_MS;
  const answer = fresh ? null : await network.command("groups.get", { group_id: groupId });
  if (answer?.ok === true) storeGroupSnapshot(stores, answer.value, Date.now());
  if (answer?.ok === false && isNotMember(answer.failure)) stores.groups.remove(groupId);
  const stored = stores.groups.get(groupId);
  if (stored !== null) return succeed(stored);
  return answer?.ok === false ? answer : fail("group_not_found");
}

/** The group does not exist or we are not in it: for reads and for leaving, these are the only refusals. */
export function isNotMember({ code }: Failure): boolean {
  return code === "group_not_found" || code === "not_group_admin";
}

/** The people of one-to-one chat ids, without duplicates. */
export function personsOf(chatIds: readonly ChatId[]): Person[] {
  return [...new Set(chatIds)].flatMap((chatId) => personOf(chatId) ?? []);
}
