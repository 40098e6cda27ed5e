// Builds the request headers for the worker: the client's, except those that only a platform or a proxy may set.
import { BlockList, isIP } from "node:net";

/** Tells the worker the scheme that the client used. */
export const SCHEME_HEADER = "x-gateway-scheme";

/** Proves to the worker that a request comes from the front. Other users of this machine reach the worker's port too. */
export const FRONT_HEADER = "x-gateway-front";

export type Proxies = { trusts(address: string): boolean };

/** Returns null if an entry is neither an address nor a block such as `10.0.0.0/8`. */
export function readProxies(entries: readonly string[]): Proxies | null {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = "", prefix, ...rest] = entry.split("/");
    const family = isIP(address);
    const bits = family === 4 ? 32 : 128;
    if (family === 0 || rest.length > 0 || (prefix !== undefined && !(/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits))) return null;
    list.addSubnet(address, prefix === undefined ? bits : Number(prefix), family === 4 ? "ipv4" : "ipv6");
  }
  return { trusts: (address) => list.check(address, isIP(address) === 4 ? "ipv4" : "ipv6") };
}

export type Client = { address: string; scheme: "http" | "https" };

/** Returns the last untrusted address in X-Forwarded-For, because clients can forge earlier ones. Defaults to the peer's address. */
export function clientOf(peer: string, headers: NodeJS.Dict<string[]>, proxies: Proxies): Client {
  let address = plainAddress(peer) ?? "unknown";
  const isProxied = isIP(address) !== 0 && proxies.trusts(address);
  const forwarded = isProxied ? (headers["x-forwarded-for"] ?? []).flatMap((value) => value.split(",")) : [];
  for (const entry of forwarded.toReversed()) {
    if (!proxies.trusts(address)) break;
    const before = plainAddress(entry.trim());
    // The trusted proxy passed on a value that is not an address, so the earlier entries cannot be trusted.
    if (before === null) break;
    address = before;
  }
  const scheme = headers["x-forwarded-proto"]?.join(",").split(",").at(-1)?.trim();
  const isSecure = (isProxied && scheme === "https") || isLoopbackHost(headers["host"]?.[0] ?? "");
  return { address, scheme: isSecure ? "https" : "http" };
}

/** Normalizes an address, because some proxies add the port. Returns null for anything else. */
function plainAddress(text: string): string | null {
  const bare = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d{1,5}$/.exec(text)?.[1] ?? text;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1] ?? bare;
  const family = isIP(mapped);
  if (family === 4) return mapped;
  // Excludes addresses with a zone, because zones refer to this machine's interfaces.
  if (family === 0 || mapped.includes("%")) return null;
  const canonical = new URL(`http://[${mapped}]/`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical) ?? [];
  if (high === undefined || low === undefined) return canonical;
  const bytes = [high, low].flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255]);
  return bytes.join(".");
}

/** True for names of this machine. A client that uses one is on this machine, so its key does not cross a network. */
function isLoopbackHost(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i.test(host);
}

const NEVER_PASSED_ON = new Set([
  "connection",
  "expect",
  "forwarded",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "true-client-ip",
  "upgrade",
  "x-client-ip",
  "x-real-ip",
  FRONT_HEADER,
  SCHEME_HEADER,
]);
/** Headers set by Cloudflare, by proxies, and by the local runtime. */
const NEVER_PASSED_PREFIX = /^(cf-|x-forwarded-|mf-)/;

/** Returns names and values alternately in one flat list, as in `rawHeaders`. */
export function passedOn(rawHeaders: readonly string[], client: Client, frontSecret: string): string[] {
  const kept: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = rawHeaders.slice(index, index + 2);
    const lower = name.toLowerCase();
    if (!NEVER_PASSED_ON.has(lower) && !NEVER_PASSED_PREFIX.test(lower)) kept.push(name, value);
  }
  return [...kept, "CF-Connecting-IP", client.address, SCHEME_HEADER, client.scheme, FRONT_HEADER, frontSecret];
}
