// A file by its url (docs/security.md, "Outgoing requests"): public https only, every hop judged anew, no credentials.
import { LIMITS } from "../../domain/limits.ts";
import { checkOutgoingUrl, type UrlPolicy } from "../../domain/egress/outgoing-url.ts";
import { fail, type Outcome } from "../../protocol/failures.ts";

export type OutgoingFetch = { policy: UrlPolicy; fetch: (url: string, init: RequestInit) => Promise<Response> };

/** `type` and `sizeBytes` as the server says; null when it says nothing useful. */
export type Fetched = { body: ReadableStream<Uint8Array>; type: string | null; sizeBytes: number | null };

/** One failure for every reason: it must not help to explore what is behind an address. */
const UNREACHABLE: Outcome<never> = fail("media_unreachable");

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The caller reads the body to its end or cancels it. `signal` bounds the whole of it, the body included. */
export async function fetchUrl(raw: string, outside: OutgoingFetch, signal: AbortSignal): Promise<Outcome<Fetched>> {
  let next = raw;
  for (let redirects = 0; redirects <= LIMITS.urlMediaRedirects; redirects += 1) {
    const checked = checkOutgoingUrl(next, outside.policy);
    if (!checked.ok) return UNREACHABLE;
    const response = await ask(checked.value.href, outside, signal);
    if (response === null) return UNREACHABLE;
    if (response.ok && response.body !== null) return { ok: true, value: fetched(response, response.body) };
    await response.body?.cancel();
    const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null;
    if (location === null || !URL.canParse(location, checked.value.href)) return UNREACHABLE;
    next = new URL(location, checked.value).href;
  }
  return UNREACHABLE;
}

async function ask(url: string, outside: OutgoingFetch, signal: AbortSignal): Promise<Response | null> {
  try {
    return await outside.fetch(url, { redirect: "manual", signal, headers: { accept: "*/*" } });
  } catch {
    return null;
  }
}

function fetched({ headers }: Response, body: ReadableStream<Uint8Array>): Fetched {
  const type = headers.get("content-type");
  const length = headers.get("content-encoding") === null ? Number(headers.get("content-length") ?? Number.NaN) : Number.NaN;
  return {
    body,
    type: type === null || /^(application|binary)\/octet-stream\b/i.test(type) ? null : type,
    sizeBytes: Number.isInteger(length) ? length : null,
  };
}
