// App state: changes of chats, labels and contacts that the devices of one account share. Patches are encrypted with
// a key that only those devices have; the server keeps them in order and refuses a patch that skips or overlaps.
import { proto } from "baileys";
import type { Device } from "./model.ts";
import type { Network } from "./network-state.ts";
import { node } from "./node.ts";
import { notifyAccount } from "./notifications.ts";

/** Adds a patch if it follows on `version`; false when another device was first. The other devices are notified. */
export function appendAppState(
  network: Network<"delivery" | "store">,
  from: Device,
  collection: string,
  version: number,
  patch: Uint8Array,
): boolean {
  const { account } = from;
  const log = account.collections.get(collection) ?? [];
  if (version !== log.length) return false;
  account.collections.set(collection, log);
  const decoded = proto.SyncdPatch.decode(patch);
  decoded.version = { version: version + 1 };
  const kept = proto.SyncdPatch.encode(decoded).finish();
  log.push(kept);
  network.store.savePatch(account, collection, version + 1, kept);
  notifyAccount(network, account, from, { from: account.pnJid, type: "server_sync" }, [
    node("collection", { name: collection, version: String(version + 1) }),
  ]);
  return true;
}
