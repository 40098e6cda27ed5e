// Presence and chat states. Never queued, because a device that connects later cannot use them.
import type { BinaryNode } from "baileys";
import type { Account, Device, Presence } from "./model.ts";
import type { Network } from "./network-state.ts";
import { addressesOf, child, node, nowSeconds } from "./node.ts";

/** Baileys sends this placeholder after pairing by code, while the name is unknown. */
const NO_NAME = "~";

export function routePresence(network: Network<"delivery" | "directory" | "faults" | "store">, from: Device, { attrs }: BinaryNode): void {
  const { type, to, name } = attrs;
  if (name !== undefined && name !== "" && name !== NO_NAME) rename(network, from.account, name);
  if (type === "subscribe") return subscribe(network, from, to);
  if (type === "unsubscribe") network.directory.find(to)?.subscribers.delete(from);
  if (type === "available" || type === "unavailable") changePresence(network, from, type);
}

/** An account is online if any of its devices is. */
export function changePresence(network: Network<"delivery" | "faults" | "store">, device: Device, presence: Presence): void {
  device.presence = presence;
  const { account } = device;
  const now: Presence = [...account.devices.values()].some((one) => one.online && one.presence === "available")
    ? "available"
    : "unavailable";
  if (now === account.presence) return;
  account.presence = now;
  if (now === "unavailable") {
    account.lastSeen = nowSeconds();
    network.store.saveAccount(account);
  }
  for (const [subscriber, jid] of account.subscribers) sendPresence(network, subscriber, account, jid);
}

// `last: none` hides the last-seen time, and with `match_last_seen` also the online status. Blocked accounts see neither.
function presenceOf(account: Account, seenBy: Account, jid: string): BinaryNode {
  const hidden = account.blocklist.has(seenBy.lid);
  const hidesLast = hidden || account.privacy["last"] === "none";
  const away = hidden || account.presence === "unavailable" || (hidesLast && account.privacy["online"] === "match_last_seen");
  const last = hidesLast ? "deny" : account.lastSeen;
  return node("presence", { from: jid, type: away ? "unavailable" : undefined, last: away ? last : undefined });
}

export function routeChatState(
  network: Network<"addressing" | "delivery" | "directory" | "faults" | "groups" | "oldForms">,
  from: Device,
  { attrs, content }: BinaryNode,
): void {
  const { to = "" } = attrs;
  if (attrs["from"] !== undefined && network.oldForms.refuses(from, "chatstate/from")) return;
  const { account } = from;
  const group = network.groups.get(to);
  if (group) {
    if (!group.members.has(account.pn)) return;
    const participant = group.addressing === "lid" ? account.lidJid : account.pnJid;
    for (const pn of group.members.keys()) {
      if (pn !== account.pn) show(network, network.directory.account(pn), node("chatstate", { from: group.id, participant }, content));
    }
    return;
  }
  const target = network.directory.find(to);
  if (!target || target === account || target.blocklist.has(account.lid)) return;
  const sender = addressesOf(account, network.addressing === "lid").jid;
  show(network, target, node("chatstate", { from: sender }, content));
}

function show(network: Network<"delivery" | "faults">, account: Account | undefined, stanza: BinaryNode): void {
  if (!child(stanza, "composing") && !child(stanza, "paused")) return;
  for (const device of account?.devices.values() ?? []) {
    if (device.online?.active && !network.faults.holds(device)) network.delivery.emit(device.online, stanza);
  }
}

function subscribe(network: Network<"delivery" | "directory" | "faults">, from: Device, jid: string | undefined): void {
  const target = network.directory.find(jid);
  if (!target) return;
  const asked = jid?.endsWith("@lid") ? target.lidJid : target.pnJid;
  target.subscribers.set(from, asked);
  network.directory.acquaint(from.account, target);
  sendPresence(network, from, target, asked);
}

function sendPresence(network: Network<"delivery" | "faults">, device: Device, account: Account, jid: string): void {
  if (device.online?.active && !network.faults.holds(device))
    network.delivery.emit(device.online, presenceOf(account, device.account, jid));
}

function rename(network: Network<"store">, account: Account, name: string): void {
  if (account.name === name) return;
  account.name = name;
  network.store.saveAccount(account);
}
