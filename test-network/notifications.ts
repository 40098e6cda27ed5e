// Notifications of the server. They are queued like messages, so a device that is offline gets them later.
import type { BinaryNode } from "baileys";
import type { Delivery } from "./delivery/delivery.ts";
import type { Directory } from "./directory.ts";
import type { Account, Device } from "./model.ts";
import { node, nowSeconds } from "./node.ts";

let sequence = 0;

/** Unique across restarts: a device keeps ids it has seen. */
export function freshId(): string {
  return `${Date.now().toString(36)}-${(++sequence).toString(36)}`;
}

/** A notification to all devices of an account but one. */
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

/** To everyone who has had to do with an account, its own devices included. */
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

/** A device was added or removed: whoever caches the list of this account's devices must fetch it again. */
export function notifyDeviceChange(network: { delivery: Delivery; directory: Directory }, device: Device, change: "add" | "remove"): void {
  const { account, id } = device;
  const keyIndex = change === "add" ? String(id) : undefined;
  // `update` makes a client drop its cached list; `remove` makes it forget the sessions of that device too.
  const tag = change === "add" ? "update" : "remove";
  notifyAcquaintances(network, account, device, { from: account.pnJid, type: "devices", lid: account.lidJid }, [
    // Both jids: a client that knows the account by its LID keeps the list under the LID.
    node(
      tag,
      { device_hash: "2:local" },
      [device.pnJid, device.lidJid].map((jid) => node("device", { jid, "key-index": keyIndex })),
    ),
  ]);
}
