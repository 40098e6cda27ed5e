// Fetches a file by URL. Allows only public HTTPS, checks every redirect again, and sends no credentials.
import { LIMITS } from "@gateway/domain/limits.ts";
import { checkOutgoingUrl, type UrlPolicy } from "@gateway/domain/egress/outgoing-url.ts";
import { fail, type Failure, type Outcome, succeed } from "@gateway/protocol/failures.ts";

export type OutgoingFetch = { policy: UrlPolicy; fetch: (url: string, init: RequestInit) => Promise<Response> };

export type Fetched = { body: ReadableStream<Uint8Array>; type: string | null; sizeBytes: number | null };

/** `not_reachable` is used for forbidden and for unresponsive addresses, so that callers cannot tell them apart. */
export type UnreachableReason = "not_reachable" | "dns" | "timeout" | "http_status" | "too_many_redirects" | "interrupted";

export function unreachable(reason: UnreachableReason, status?: number): Failure {
  return { code: "media_unreachable", details: status === undefined ? { reason } : { reason, status } };
}

/** The platform's status for a host name that does not resolve. */
const DNS_STATUS = 530;

/** A User-Agent is set because CDNs in front of files may refuse clients without one. */
const USER_AGENT = "Service-Files/1.0";

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The caller must read the body to its end or cancel it. `signal` covers both the request and the body. */
export async function fetchUrl(raw: string, outside: OutgoingFetch, signal: AbortSignal): Promise<Outcome<Fetched>> {
  let next = raw;
  for (let redirects = 0; redirects <= LIMITS.urlMediaRedirects; redirects += 1) {
    const checked = checkOutgoingUrl(next, outside.policy);
    if (!checked.ok) return fail(unreachable("not_reachable"));
    const asked = await ask(checked.value.href, outside, signal);
    if (!asked.ok) return asked;
    const response = asked.value;
    const { status } = response;
    if (response.ok && response.body !== null) return succeed(fetched(response, response.body));
    await response.body?.cancel();
    const location = REDIRECTS.has(status) ? response.headers.get("location") : null;
    if (location === null || !URL.canParse(location, checked.value.href))
      return fail(status === DNS_STATUS ? unreachable("dns") : unreachable("http_status", status));
    next = new URL(location, checked.value).href;
  }
  return fail(unreachable("too_many_redirects"));
}

async function ask(url: string, outside: OutgoingFetch, signal: AbortSignal): Promise<Outcome<Response>> {
  try {
    return succeed(await outside.fetch(url, { redirect: "manual", signal, headers: { "user-agent": USER_AGENT, accept: "*/*" } }));
  } catch (error) {
    if (signal.aborted) return fail(unreachable("timeout"));
    return fail(unreachable(/\bdns\b/i.test(String(error)) ? "dns" : "not_reachable"));
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
