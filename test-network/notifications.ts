// Server notifications, queued like messages so that offline devices receive them later.
import type { BinaryNode } from "baileys";
import type { Delivery } from "./delivery/delivery.ts";
import type { Directory } from "./directory.ts";
import type { Account, Device } from "./model.ts";
import { node, nowSeconds } from "./node.ts";

let sequence = 0;

/** Ids must be unique across restarts, because devices remember them. */
export function freshId(): string {
  return `${Date.now().toString(36)}-${(++sequence).toString(36)}`;
}

export function notifyAccount(
  network: { delivery: Delivery },
  account: Account,
  except: Device | undefined,
  attrs: Record<string, string | undefined>,
  content?: BinaryNode[],
): void {
  for (const device of account.devices.values()) {
    if (device !== except) notifyDevice(network, device, attrs, content);
  }
}

export function notifyDevice(
  network: { delivery: Delivery },
  device: Device,
  attrs: Record<string, string | undefined>,
  content?: BinaryNode[],
): void {
  network.delivery.enqueue(device, node("notification", { id: freshId(), t: nowSeconds(), ...attrs }, content));
}

export function notifyAcquaintances(
  network: { delivery: Delivery; directory: Directory },
  account: Account,
  except: Device | undefined,
  attrs: Record<string, string | undefined>,
  content?: BinaryNode[],
): void {
  notifyAccount(network, account, except, attrs, content);
  for (const pn of account.acquaintances) {
    const other = network.directory.account(pn);
    if (other) notifyAccount(network, other, except, attrs, content);
  }
}

export function notifyDeviceChange(network: { delivery: Delivery; directory: Directory }, device: Device, change: "add" | "remove"): void {
  const { account, id } = device;
  const keyIndex = change === "add" ? String(id) : undefined;
  // `update` makes a client drop its cached list. `remove` also makes it forget the device's sessions.
  const tag = change === "add" ? "update" : "remove";
  notifyAcquaintances(network, account, device, { from: account.pnJid, type: "devices", lid: account.lidJid }, [
    // Sends both JIDs, because a client that knows the account by LID caches the list under the LID.
    node(
      tag,
      { device_hash: "2:local" },
      [device.pnJid, device.lidJid].map((jid) => node("device", { jid, "key-index": keyIndex })),
    ),
  ]);
}
