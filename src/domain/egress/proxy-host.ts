// Checks the text of a proxy's host. The bridge checks the resolved address when it connects.
import { isPublicHost } from "@gateway/protocol/addresses/public.ts";
import type { UrlPolicy } from "./outgoing-url.ts";

const MAX_CHARACTERS = 253;
const PLAIN = /^[\w.:[\]-]+$/;

/** The host as written in a URL, or null if it is not allowed. `loopback` also allows 127.0.0.1. */
export function readProxyHost(raw: string, { own, loopback }: UrlPolicy): string | null {
  if (raw.length > MAX_CHARACTERS || !PLAIN.test(raw)) return null;
  const host = URL.parse(`http://${raw.includes(":") && !raw.startsWith("[") ? `[${raw}]` : raw}`)?.hostname;
  if (host === undefined || host === "" || (raw.startsWith("[") && !raw.endsWith("]"))) return null;
  if (loopback && host === "127.0.0.1") return host;
  const name = host.replace(/\.$/, "");
  if (own.some((address) => new URL(address).hostname === name)) return null;
  return isPublicHost(host) ? host : null;
}
