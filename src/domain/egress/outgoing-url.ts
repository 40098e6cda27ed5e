// Checks the text of customer URLs. Addresses are checked when connecting. The dashboard loads this file, so it must not load zod.
import type { Outcome } from "@gateway/protocol/failures.ts";
import { isPublicHost } from "@gateway/protocol/addresses/public.ts";

export type UrlPolicy = {
  own: readonly string[];
  /** The sandbox also allows `http://127.0.0.1[:port]`. */
  loopback: boolean;
  /** The `host:port` of receivers that may be private and without TLS. Only a deployment on a single machine has them. */
  listed?: readonly string[];
};

export type UrlProblem = "too_long" | "characters" | "not_https" | "credentials" | "unreadable" | "own" | "not_public";

const MAX_CHARACTERS = 2_048;

/** Checked before parsing, because the parser drops tabs and newlines, trims the text, and reads a backslash as a slash. */
const PLAIN = /^[^\s\\\p{Cc}\p{Cf}]+$/u;
const HTTPS = /^https:\/\//i;
const HTTPS_URL = /^https:\/\/[^/?#@]+([/?#]|$)/i;
/** A URL without credentials. */
const LISTABLE_URL = /^https?:\/\/[^/?#@]+([/?#]|$)/i;
const LOOPBACK_URL = /^http:\/\/127\.0\.0\.1(:\d{1,5})?([/?#]|$)/;

/** The error is the same for every reason, so that callers cannot use it to explore internal hosts (SSRF). */
export function checkOutgoingUrl(raw: string, policy: UrlPolicy): Outcome<URL> {
  if (urlProblem(raw, policy) !== null) return { ok: false, failure: { code: "url_not_allowed" } };
  return { ok: true, value: new URL(raw) };
}

export function urlProblem(raw: string, policy: UrlPolicy): UrlProblem | null {
  if (raw.length > MAX_CHARACTERS) return "too_long";
  if (!PLAIN.test(raw)) return "characters";
  const named = LISTABLE_URL.test(raw) ? URL.parse(raw) : null;
  if (named !== null && isListed(named, policy.listed ?? [])) return listedProblem(named, policy);
  const loopback = policy.loopback && LOOPBACK_URL.test(raw);
  if (!loopback && !HTTPS.test(raw)) return "not_https";
  const url = URL.canParse(raw) ? new URL(raw) : null;
  if (url !== null && (url.username !== "" || url.password !== "")) return "credentials";
  if (url === null || url.port === "0" || !(loopback || HTTPS_URL.test(raw))) return "unreadable";
  const own = policy.own.map((address) => new URL(address));
  if (loopback) return own.some((address) => address.host === url.host) ? "own" : null;
  const name = url.hostname.replace(/\.$/, "");
  if (own.some((address) => address.hostname === name)) return "own";
  return isPublicHost(url.hostname) ? null : "not_public";
}

/** `listed` contains entries as the URL parser writes them, each with its port. */
export function isListed(url: URL, listed: readonly string[]): boolean {
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return listed.includes(`${url.hostname}:${port}`);
}

function listedProblem(url: URL, { own }: UrlPolicy): UrlProblem | null {
  return own.some((address) => new URL(address).host === url.host) ? "own" : null;
}
