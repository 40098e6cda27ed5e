// Which proxies the gateway's bridges may connect to. The text of the host is checked here; what a name resolves to is judged by the bridge
// when it connects.
import { isPublicHost } from "@gateway/protocol/public-addresses.ts";
import type { UrlPolicy } from "./outgoing-url.ts";

const MAX_CHARACTERS = 253;
const PLAIN = /^[\w.:[\]-]+$/;

/** The host as it is written in an address; null when it must not be a proxy's. `loopback`: 127.0.0.1 is allowed, as for webhooks. */
export function readProxyHost(raw: string, { own, loopback }: UrlPolicy): string | null {
  if (raw.length > MAX_CHARACTERS || !PLAIN.test(raw)) return null;
  // With a port behind it, this is no address either.
  const host = URL.parse(`http://${raw.includes(":") && !raw.startsWith("[") ? `[${raw}]` : raw}`)?.hostname;
  if (host === undefined || host === "" || (raw.startsWith("[") && !raw.endsWith("]"))) return null;
  if (loopback && host === "127.0.0.1") return host;
  const name = host.replace(/\.$/, "");
  if (own.some((address) => new URL(address).hostname === name)) return null;
  return isPublicHost(host) ? host : null;
}
