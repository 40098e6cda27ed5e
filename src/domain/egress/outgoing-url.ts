// Which URLs of customers the gateway may call: webhook destinations, and files by url. The text of the URL is checked here; what a name
// resolves to is filtered when the connection is made.
import { fail, type Outcome } from "../../protocol/failures.ts";
import { isPublicHost } from "../../protocol/public-addresses.ts";

export type UrlPolicy = {
  /** This deployment's own URLs: never a destination. */
  own: readonly string[];
  /** The sandbox alone: `http://127.0.0.1[:port]` is a destination too. */
  loopback: boolean;
};

const MAX_CHARACTERS = 2_048;

/** Before parsing: the parser would silently drop tabs and newlines, trim, and read a backslash as a slash. */
const PLAIN = /^[^\s\\\p{Cc}\p{Cf}]+$/u;
const HTTPS_URL = /^https:\/\/[^/?#@]+([/?#]|$)/i;
const LOOPBACK_URL = /^http:\/\/127\.0\.0\.1(:\d{1,5})?([/?#]|$)/;

const REFUSED: Outcome<never> = fail("url_not_allowed");

/** The parsed URL when it may be called. One error for every reason, so that it is no oracle for SSRF. */
export function checkOutgoingUrl(raw: string, policy: UrlPolicy): Outcome<URL> {
  if (raw.length > MAX_CHARACTERS || !PLAIN.test(raw)) return REFUSED;
  const loopback = policy.loopback && LOOPBACK_URL.test(raw);
  if (!loopback && !HTTPS_URL.test(raw)) return REFUSED;
  const url = URL.canParse(raw) ? new URL(raw) : null;
  if (url === null || url.username !== "" || url.password !== "" || url.port === "0") return REFUSED;
  const own = policy.own.map((address) => new URL(address));
  if (loopback) return own.some((address) => address.host === url.host) ? REFUSED : { ok: true, value: url };
  const name = url.hostname.replace(/\.$/, "");
  if (own.some((address) => address.hostname === name)) return REFUSED;
  return isPublicHost(url.hostname) ? { ok: true, value: url } : REFUSED;
}
