import type { Device, KeyBundle } from "./model.ts";
import type { Network } from "./network-state.ts";
import { node, SERVER_JID } from "./node.ts";
import { notifyDevice } from "./notifications.ts";

/** Clients upload more keys when fewer than five are left (Baileys: MIN_PREKEY_COUNT). */
const LOW_COUNT = 4;

/** Returns a device's keys, with a one-time key as long as any are left. */
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
