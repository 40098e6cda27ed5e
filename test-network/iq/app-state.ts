import type { BinaryNode } from "baileys";
import { appendAppState } from "../app-state.ts";
import type { Device } from "../model.ts";
import type { Network } from "../network-state.ts";
import { bytesOf, child, children, node } from "../node.ts";
import { done, refused, type Reply } from "./reply.ts";

/** A client asks again while `has_more_patches` is set. */
const MAX_PATCHES_PER_ANSWER = 500;

/** `w:sync:app:state`: a client brings patches and fetches those it lacks, per collection. */
export function answerAppState(network: Network<"delivery" | "store">, from: Device, iq: BinaryNode): Reply {
  const sync = child(iq, "sync");
  if (!sync) return refused(400);
  return done(
    node(
      "sync",
      {},
      children(sync, "collection").map((one) => answerCollection(network, from, one)),
    ),
  );
}

function answerCollection(network: Network<"delivery" | "store">, from: Device, collection: BinaryNode): BinaryNode {
  const { name = "", version = "0" } = collection.attrs;
  const known = Number(version);
  const patch = bytesOf(child(collection, "patch"));
  if (!patch) return missing(from, name, known);
  if (appendAppState(network, from, name, known, patch)) return node("collection", { name, version: String(known + 1) });
  const behind = missing(from, name, known);
  const conflict = node("error", { code: "409", text: "conflict" });
  return node("collection", { ...behind.attrs, type: "error" }, [conflict, ...children(behind, "patches")]);
}

function missing(from: Device, name: string, known: number): BinaryNode {
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
            patches.map((one) => node("patch", {}, one)),
          ),
        ]
      : undefined,
  );
}
