// What the network refuses, and says in words that nobody here knows: counted where it comes in, whoever asked (docs/operations.md,
// "Metrics").
import { getBinaryNodeChild, type BinaryNode, type WASocket } from "baileys";
import type { TroubleKind } from "../../../../src/protocol/bridge/troubles.ts";

/** Stanzas that the library or this driver handles, or that need nothing done. */
const KNOWN_TAGS = new Set(
  "message status receipt notification call ack iq ib presence chatstate success failure stream:error xmlstreamend error".split(" "),
);

export function countRefusals(sock: WASocket, troubled: (kind: TroubleKind, code: string) => void): () => void {
  const count = (frame: unknown): void => {
    const { tag, attrs } = (frame ?? {}) as Partial<BinaryNode>;
    if (tag === undefined || attrs === undefined) return;
    if (tag === "ack" && attrs["error"] !== undefined) troubled("ack", attrs["error"]);
    else if (tag === "iq" && attrs["type"] === "error") troubled("iq", codeOf(frame as BinaryNode));
    else if (!KNOWN_TAGS.has(tag)) troubled("unhandled", tag);
  };
  sock.ws.on("frame", count);
  return () => sock.ws.off("frame", count);
}

function codeOf(node: BinaryNode): string {
  return getBinaryNodeChild(node, "error")?.attrs["code"] ?? "none";
}
