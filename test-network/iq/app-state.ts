import { proto, type BinaryNode } from "baileys";
import { appendAppState } from "../app-state.ts";
import type { Device } from "../model.ts";
import type { Network } from "../network-state.ts";
import { bytesOf, child, children, node } from "../node.ts";
import { done, refused, type Reply } from "./reply.ts";

const MAX_PATCHES_PER_ANSWER = 500;

type AppStateNetwork = Network<"delivery" | "store" | "faults">;

/** `w:sync:app:state` accepts patches and returns missing ones, per collection. */
export function answerAppState(network: AppStateNetwork, from: Device, iq: BinaryNode): Reply {
  const sync = child(iq, "sync");
  if (!sync) return refused(400);
  return done(
    node(
      "sync",
      {},
      children(sync, "collection").flatMap((one) => answerCollection(network, from, one) ?? []),
    ),
  );
}

function answerCollection(network: AppStateNetwork, from: Device, collection: BinaryNode): BinaryNode | undefined {
  const { name = "", version = "0" } = collection.attrs;
  const known = Number(version);
  const patch = bytesOf(child(collection, "patch"));
  if (!patch) {
    const fault = network.faults.onCollection(from, name);
    return fault === "leave_out" ? undefined : missing(from, name, known, fault === "wrong_mac" ? misstated : same);
  }
  if (appendAppState(network, from, name, known, patch)) return node("collection", { name, version: String(known + 1) });
  const behind = missing(from, name, known);
  const conflict = node("error", { code: "409", text: "conflict" });
  return node("collection", { ...behind.attrs, type: "error" }, [conflict, ...children(behind, "patches")]);
}

function misstated(patch: Uint8Array): Uint8Array {
  const decoded = proto.SyncdPatch.decode(patch);
  decoded.snapshotMac = Buffer.alloc(32, 1);
  return proto.SyncdPatch.encode(decoded).finish();
}

const same = (patch: Uint8Array): Uint8Array => patch;

function missing(from: Device, name: string, known: number, altered: (patch: Uint8Array) => Uint8Array = same): BinaryNode {
  const log = from.account.collections.get(name) ?? [];
  const patches = log.slice(known, known + MAX_PATCHES_PER_ANSWER);
  const version = Math.min(log.length, known + patches.length);
  const attrs = { name, version: String(version), has_more_patches: version < log.length ? "true" : undefined };
  return node(
    "collection",
    attrs,
    patches.length > 0
      ? [
          node(
            "patches",
            {},
            patches.map((one) => node("patch", {}, altered(one))),
          ),
        ]
      : undefined,
  );
}
