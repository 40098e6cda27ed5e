// Adds, removes and detaches devices, with the resulting notifications.
import type { DeviceLink } from "./delivery/device-queue.ts";
import type { NewDevice } from "./directory.ts";
import type { Account, Device, KeyBundle } from "./model.ts";
import type { Network } from "./network-state.ts";
import { node, SERVER_JID } from "./node.ts";
import { notifyDeviceChange, notifyDevice } from "./notifications.ts";
import { changePresence } from "./presence.ts";

/** Tells the linked devices to log in, and notifies clients that cache the device list. */
export function addDevice(
  network: Network<"delivery" | "directory" | "pairing">,
  account: Account,
  id: number,
  about: NewDevice = {},
): Device {
  const known = account.devices.has(id);
  const device = network.directory.addDevice(account, id, about);
  if (!known && id !== 0) notifyDeviceChange(network, device, "add");
  if (device.noiseKey) network.pairing.linked(device.noiseKey);
  return device;
}

/** Unlinks a device. Its socket receives a logout, and clients that cache the device list are notified. */
export function removeDevice(network: Network<"delivery" | "directory" | "faults" | "store">, device: Device): void {
  const link = device.online;
  detachDevice(network, device);
  network.directory.removeDevice(device);
  notifyDeviceChange(network, device, "remove");
  if (link) network.delivery.endLink(link, node("stream:error", { code: "401" }, [node("conflict", { type: "device_removed" })]));
}

export function detachDevice(network: Network<"delivery" | "directory" | "faults" | "store">, device: Device, link?: DeviceLink): void {
  if (link && device.online !== link) return;
  network.delivery.detach(device);
  network.directory.forgetSubscriptions(device);
  changePresence(network, device, "unavailable");
}

/** Clients upload more keys when fewer than five are left (Baileys: MIN_PREKEY_COUNT). */
const LOW_COUNT = 4;

/** Returns a device's keys, including a one-time key if any are left. */
export function takeBundle(
  network: Network<"delivery" | "directory" | "stats" | "store">,
  jid: string,
  requester?: Device,
): KeyBundle | undefined {
  const device = network.directory.device(jid);
  if (!device?.keys) return undefined;
  if (requester) {
    network.stats.count("bundles", requester.account.pn);
    network.directory.acquaint(requester.account, device.account);
  }
  return { ...device.keys, key: takePreKey(network, device) };
}

function takePreKey(network: Network<"delivery" | "store">, device: Device): KeyBundle["key"] {
  const oldest = device.preKeys.entries().next().value;
  if (!oldest) return undefined;
  const [id, value] = oldest;
  device.preKeys.delete(id);
  network.store.removePreKey(device, id);
  if (device.preKeys.size === LOW_COUNT) {
    notifyDevice(network, device, { from: SERVER_JID, type: "encrypt" }, [node("count", { value: String(LOW_COUNT) })]);
  }
  return { id, value };
}
