// Limits on new chats. The real network refuses a restricted account's first messages with 463, and those beyond its quota with 475.
import type { Delivery } from "./delivery/delivery.ts";
import type { Directory } from "./directory.ts";
import type { Account, Device, NewChatQuota } from "./model.ts";
import { node, SERVER_JID } from "./node.ts";
import { notifyAccount } from "./notifications.ts";
import type { Store } from "./store/store.ts";

type Accounts = { readonly delivery: Delivery; readonly store: Store };

const PLENTY: NewChatQuota = { total: 1000, used: 0, status: "NONE", endsAt: 0 };

export function restrictionOf({ restrictedUntil = 0 }: Account): Record<string, unknown> {
  const active = restrictedUntil * 1000 > Date.now();
  return { is_active: active, time_enforcement_ends: active ? String(restrictedUntil) : "0", enforcement_type: "DEFAULT" };
}

/** Restricts an account until a time (Unix seconds) or lifts the restriction, and notifies its devices. */
export function restrict(network: Accounts, account: Account, until: number | undefined): void {
  if (account.restrictedUntil === until) return;
  account.restrictedUntil = until;
  network.store.saveAccount(account);
  notify(network, account, "NotificationUserReachoutTimelockUpdate", { xwa2_notify_account_reachout_timelock: restrictionOf(account) });
}

export function newChatCapOf({ newChatQuota: quota = PLENTY }: Account): Record<string, unknown> {
  const { total, used, status, endsAt } = quota;
  return { total_quota: total, used_quota: used, cycle_start_timestamp: "0", cycle_end_timestamp: String(endsAt), capping_status: status };
}

/** Sets an account's quota of new chats and notifies its devices. Undefined restores the default. */
export function setNewChatQuota(network: Accounts, account: Account, quota: NewChatQuota | undefined): void {
  account.newChatQuota = quota;
  network.store.saveAccount(account);
  const payload = { xwa2_notify_new_chat_messages_capping_info_update: newChatCapOf(account) };
  notify(network, account, "MessageCappingInfoNotification", payload);
}

/** Records that two accounts have a chat. Returns an error code if the chat must not be started. A phone itself may always start one. */
export function startChat(network: Accounts & { readonly directory: Directory }, from: Device, target: Account): "463" | "475" | null {
  const { account } = from;
  if (target === account || account.chats.has(target.pn)) return null;
  const isLinked = from.id !== 0;
  if (isLinked && (account.restrictedUntil ?? 0) * 1000 > Date.now()) return "463";
  const quota = currentQuota(account);
  if (quota !== undefined) {
    if (isLinked && (quota.status === "CAPPED" || quota.used >= quota.total)) return "475";
    const used = quota.used + 1;
    setNewChatQuota(network, account, { ...quota, used, status: used >= quota.total ? "CAPPED" : quota.status });
  }
  network.directory.startChat(account, target);
  return null;
}

function currentQuota({ newChatQuota: quota }: Account): NewChatQuota | undefined {
  const isOver = quota !== undefined && quota.endsAt > 0 && quota.endsAt * 1000 <= Date.now();
  return isOver ? { ...quota, used: 0, status: "NONE", endsAt: 0 } : quota;
}

function notify(network: Accounts, account: Account, operation: string, data: Record<string, unknown>): void {
  notifyAccount(network, account, undefined, { from: SERVER_JID, type: "mex" }, [
    node("update", { op_name: operation }, Buffer.from(JSON.stringify({ data }))),
  ]);
}
