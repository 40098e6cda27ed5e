// Counts refusals and unknown stanzas from the network as they arrive (docs/operate/metrics.md, "Metrics").
import { getBinaryNodeChild, getBinaryNodeChildString, type BinaryNode, type WASocket } from "baileys";
import type { Logger } from "pino";
import { labelOf } from "#bridge/metrics/troubles.ts";
import { readMexReply } from "../session/network-failures.ts";
import type { TroubleKind } from "@gateway/protocol/bridge-socket.ts";

const KNOWN_TAGS = new Set(
  "message status receipt notification call ack iq ib presence chatstate success failure stream:error xmlstreamend error".split(" "),
);

export function countRefusals(
  sock: WASocket,
  logger: Pick<Logger, "debug">,
  troubled: (kind: TroubleKind, code: string) => void,
): () => void {
  const refused = (kind: TroubleKind, code: string): void => {
    logger.debug({ kind, code: labelOf(code) }, "network.refused");
    troubled(kind, code);
  };
  const count = (frame: unknown): void => {
    const { tag, attrs } = (frame ?? {}) as Partial<BinaryNode>;
    if (tag === undefined || attrs === undefined) return;
    if (tag === "ack" && attrs["error"] !== undefined) refused("ack", attrs["error"]);
    else if (tag === "iq" && attrs["type"] === "error") refused("iq", codeOf(frame as BinaryNode));
    else if (tag === "iq") for (const code of refusedQueries(frame as BinaryNode)) refused("iq", code);
    else if (!KNOWN_TAGS.has(tag)) refused("unhandled", tag);
  };
  sock.ws.on("frame", count);
  return () => sock.ws.off("frame", count);
}

/** GraphQL errors arrive in a normal result. */
function refusedQueries(node: BinaryNode): string[] {
  const text = getBinaryNodeChildString(node, "result");
  return text === undefined ? [] : readMexReply(text).refusals.map((code) => `mex_${code}`);
}

function codeOf(node: BinaryNode): string {
  return getBinaryNodeChild(node, "error")?.attrs["code"] ?? "none";
}
