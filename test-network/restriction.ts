// Reach-out restrictions: the real network blocks new chats (463) for numbers that message too many strangers.
import type { Delivery } from "./delivery/delivery.ts";
import type { Account, NewChatQuota } from "./model.ts";
import { node, SERVER_JID } from "./node.ts";
import { notifyAccount } from "./notifications.ts";
import type { Store } from "./store/store.ts";

export function restrictionOf({ restrictedUntil = 0 }: Account): Record<string, unknown> {
  const active = restrictedUntil * 1000 > Date.now();
  return { is_active: active, time_enforcement_ends: active ? String(restrictedUntil) : "0", enforcement_type: "DEFAULT" };
}

export function newChatCapOf({ newChatQuota: quota = PLENTY }: Account): Record<string, unknown> {
  const { total, used, status, endsAt } = quota;
  return { total_quota: total, used_quota: used, cycle_start_timestamp: "0", cycle_end_timestamp: String(endsAt), capping_status: status };
}

const PLENTY: NewChatQuota = { total: 1000, used: 0, status: "NONE", endsAt: 0 };

/** Restricts an account until a time (Unix seconds) or lifts the restriction, and notifies its devices. */
export function restrict(network: { delivery: Delivery; store: Store }, account: Account, until: number | undefined): void {
  if (account.restrictedUntil === until) return;
  account.restrictedUntil = until;
  network.store.saveAccount(account);
  const payload = { data: { xwa2_notify_account_reachout_timelock: restrictionOf(account) } };
  notifyAccount(network, account, undefined, { from: SERVER_JID, type: "mex" }, [
    node("update", { op_name: "NotificationUserReachoutTimelockUpdate" }, Buffer.from(JSON.stringify(payload))),
  ]);
}
