// Adds, removes and detaches devices, with the resulting notifications.
import type { DeviceLink } from "./delivery/device-link.ts";
import type { NewDevice } from "./directory.ts";
import type { Account, Device } from "./model.ts";
import type { Network } from "./network-state.ts";
import { node } from "./node.ts";
import { notifyDeviceChange } from "./notifications.ts";
import { changePresence } from "./presence.ts";

/** Linked devices are told to log in, and clients that cache the device list are notified. */
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

/** Unlinks a device: its socket receives a logout, and clients that cache the device list are notified. */
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
