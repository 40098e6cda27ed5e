// What the operations on groups stand on.
import { fail, type Failure, type Outcome } from "../../../../src/protocol/failures.ts";
import { type ChatId, type Person, personOf } from "../../../../src/protocol/ids.ts";
import type { GroupRecord } from "../../../../src/protocol/groups.ts";
import { storeGroupSnapshot } from "../../projection/groups.ts";
import type { NetworkClient } from "../../session/network-client.ts";
import type { Stores } from "../../store/stores.ts";

/** So long a group that was read whole is not read again: events keep it true (docs/apis.md, "Groups, contacts, labels, channels"). */
const SNAPSHOT_MAX_AGE_MS = 300_000;
/** With participants. While the network cannot be asked, what is stored answers: events kept it true as long as there were any. */
export async function readGroup(network: NetworkClient, stores: Stores, groupId: ChatId): Promise<Outcome<GroupRecord>> {
  const refused = network.unsupported();
  if (refused !== null) return fail(refused);
  const readAt = stores.groups.snapshotAt(groupId);
  const fresh = readAt !== null && readAt > Date.now() - SNAPSHOT_MAX_AGE_MS;
  const asked = fresh ? null : await network.command("groups.get", { group_id: groupId });
  if (asked?.ok === true) storeGroupSnapshot(stores, asked.value, Date.now());
  if (asked?.ok === false && isNotMember(asked.failure)) stores.groups.remove(groupId);
  const kept = stores.groups.get(groupId);
  if (kept !== null) return { ok: true, value: kept };
  return asked?.ok === false ? asked : fail("group_not_found");
}

/** The network says that there is no such group, or that we are not in it: of reads, and of leaving, nothing else is refused. */
export function isNotMember({ code }: Failure): boolean {
  return code === "group_not_found" || code === "not_group_admin";
}

/** The persons of one-to-one chat ids, each once. */
export function personsOf(chatIds: readonly ChatId[]): Person[] {
  return [...new Set(chatIds)].flatMap((chatId) => personOf(chatId) ?? []);
}
