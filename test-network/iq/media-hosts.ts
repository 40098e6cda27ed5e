import type { Device } from "../model.ts";
import type { Network } from "../network-state.ts";
import { node } from "../node.ts";
import { done, refused, type Reply } from "./reply.ts";

const MAX_BYTES = 104_857_600;

export function answerMediaHosts(network: Network<"blobs">, _from: Device): Reply {
  const { host, spareHost } = network.blobs;
  if (host === undefined) return refused(503);
  return done(
    node(
      "media_conn",
      { auth: "local", ttl: "3600", auth_ttl: "3600", max_buckets: "12" },
      [host, ...(spareHost === undefined ? [] : [spareHost])].map((hostname) =>
        node("host", { hostname, maxContentLengthBytes: String(MAX_BYTES) }),
      ),
    ),
  );
}
