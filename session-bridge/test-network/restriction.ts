// What the real network does to numbers that write to too many strangers: for a while, no new chats (code 463).
import type { Account } from "./model.ts";
import type { TestNetwork } from "./network.ts";
import { node, SERVER_JID } from "./node.ts";
import { tellAccount } from "./notifications.ts";

/** The restriction as GraphQL answers show it. */
export function restrictionOf({ restrictedUntil = 0 }: Account): Record<string, unknown> {
  const active = restrictedUntil * 1000 > Date.now();
  return { is_active: active, time_enforcement_ends: active ? String(restrictedUntil) : "0", enforcement_type: "DEFAULT" };
}

/** Restricts an account until a time in Unix seconds, or lifts the restriction; its devices are told. */
export function restrict(network: TestNetwork, account: Account, until: number | undefined): void {
  if (account.restrictedUntil === until) return;
  account.restrictedUntil = until;
  network.saveAccount(account);
  const payload = { data: { xwa2_notify_account_reachout_timelock: restrictionOf(account) } };
  tellAccount(network, account, undefined, { from: SERVER_JID, type: "mex" }, [
    node("update", { op_name: "NotificationUserReachoutTimelockUpdate" }, Buffer.from(JSON.stringify(payload))),
  ]);
}
