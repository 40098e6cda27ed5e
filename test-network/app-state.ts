// App state shared by an account's devices. The server keeps the order of encrypted patches and rejects gaps and overlaps.
import { proto } from "baileys";
import type { Device } from "./model.ts";
import type { Network } from "./network-state.ts";
import { node } from "./node.ts";
import { notifyAccount } from "./notifications.ts";

/** Appends a patch that follows `version` and notifies the other devices. Returns false when another device's patch came first. */
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
