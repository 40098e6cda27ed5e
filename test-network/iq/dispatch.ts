// Dispatches queries by namespace. Unknown ones get an error, because clients wait a minute for a missing response.
import type { BinaryNode } from "baileys";
import type { Device } from "../model.ts";
import type { NetworkState, Network } from "../network-state.ts";
import { childrenOf, node, SERVER_JID } from "../node.ts";
import { answerAccountSettings, answerAbout, answerBlocklist, answerPrivacy, answerBusiness, answerPicture } from "./account.ts";
import { answerAppState } from "./app-state.ts";
import { answerDevices, answerDirectory } from "./directory.ts";
import { answerGroups } from "./groups.ts";
import { answerKeys } from "./keys.ts";
import { answerMex, answerNewsletter } from "./newsletters.ts";
import { done, refused, type Reply } from "./reply.ts";

type Answerer = (network: NetworkState, from: Device, iq: BinaryNode) => Reply;

const FAMILIES: Record<string, Answerer> = {
  abt: () => done(node("props", { protocol: "1", hash: "local", refresh: "86400" })),
  blocklist: answerBlocklist,
  disappearing_mode: answerAccountSettings,
  encrypt: answerKeys,
  md: answerDevices,
  newsletter: answerNewsletter,
  passive: () => done(),
  privacy: answerPrivacy,
  status: answerAbout,
  "urn:xmpp:whatsapp:dirty": () => done(),
  usync: answerDirectory,
  "w:biz": answerBusiness,
  "w:g2": answerGroups,
  "w:m": answerMediaHosts,
  "w:mex": answerMex,
  "w:p": () => done(),
  "w:profile:picture": answerPicture,
  "w:stats": () => done(),
  "w:sync:app:state": answerAppState,
};

const MAX_FILE_BYTES = 104_857_600;

const TEXTS: Record<number, string> = {
  400: "bad-request",
  401: "not-authorized",
  403: "forbidden",
  404: "item-not-found",
  405: "not-allowed",
  406: "not-acceptable",
  408: "timeout",
  409: "conflict",
  410: "gone",
  429: "rate-overlimit",
  500: "internal-server-error",
  501: "feature-not-implemented",
  503: "service-unavailable",
};

export function answerQuery(network: NetworkState, from: Device, iq: BinaryNode): BinaryNode {
  const { xmlns = "", type = "" } = iq.attrs;
  const name = `${xmlns}/${type}/${childrenOf(iq)[0]?.tag ?? ""}`;
  network.stats.count("queries", name);
  const fault = network.faults.onQuery(from, iq);
  if (fault !== undefined) return errorTo(iq, fault);
  const reply = attempt(network, from, iq, name);
  if (reply.code === 501) network.stats.count("unknown", name);
  return reply.code === undefined ? resultTo(iq, reply.content) : errorTo(iq, reply.code);
}

function attempt(network: NetworkState, from: Device, iq: BinaryNode, name: string): Reply {
  try {
    return FAMILIES[iq.attrs["xmlns"] ?? ""]?.(network, from, iq) ?? refused(501);
  } catch (error) {
    network.stats.countFailure(name, error);
    return refused(500);
  }
}

export function resultTo({ attrs }: BinaryNode, content?: BinaryNode[]): BinaryNode {
  return node("iq", { from: attrs["to"] ?? SERVER_JID, id: attrs["id"], type: "result" }, content);
}

export function errorTo({ attrs }: BinaryNode, code: number): BinaryNode {
  const error = node("error", { code: String(code), text: TEXTS[code] ?? "unknown" });
  return node("iq", { from: attrs["to"] ?? SERVER_JID, id: attrs["id"], type: "error" }, [error]);
}

function answerMediaHosts(network: Network<"blobs">, _from: Device): Reply {
  const { host, spareHost } = network.blobs;
  if (host === undefined) return refused(503);
  return done(
    node(
      "media_conn",
      { auth: "local", ttl: "3600", auth_ttl: "3600", max_buckets: "12" },
      [host, ...(spareHost === undefined ? [] : [spareHost])].map((hostname) =>
        node("host", { hostname, maxContentLengthBytes: String(MAX_FILE_BYTES) }),
      ),
    ),
  );
}
