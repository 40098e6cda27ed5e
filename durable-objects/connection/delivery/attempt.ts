// One HTTP attempt, which ends with the response headers. Attempts share one timer, because a timer each would cost more than signing.
import type { Deadlines } from "./deadlines.ts";
import { type AttemptResult, type DeliveryError, attemptResultOf } from "@gateway/domain/webhooks/delivery.ts";
import type { Signing } from "@gateway/domain/webhooks/signature.ts";

/** `fetch` for URLs that customers chose. In the sandbox, it uses the filtered egress service. */
export type EgressFetch = (url: string, init: RequestInit) => Promise<Response>;

export type AttemptRequest = {
  id: string;
  url: string;
  /** The customer's own headers. The only one of our headers they can replace is the user agent. */
  headers: Readonly<Record<string, string>>;
  body: string;
  signing: Signing;
  keys: Promise<readonly CryptoKey[]>;
  timeoutMs: number;
  /** Receives the sent headers and the response. If it is absent, the response body is not read. */
  exchanged?: (headers: Readonly<Record<string, string>>, response: Response | null) => void;
};

/** `result` is null if the attempt does not count: it was cancelled, or could not be signed because of `unsigned`. */
export type AttemptEnd = { result: AttemptResult | null; latencyMs: number; endedAt: number; unsigned?: unknown };

export type Attempt = { ended: Promise<AttemptEnd>; cancel: () => void };

const USER_AGENT = "Service-Webhooks/1.0";
const UTF8 = new TextEncoder();

/** Starts the attempt and its timeout immediately, because the caller has already reserved a slot. */
export function startAttempt(request: AttemptRequest, egressFetch: EgressFetch, deadlines: Deadlines, clock: () => number): Attempt {
  const startedAt = clock();
  const stop = new AbortController();
  const { promise: ended, resolve } = Promise.withResolvers<AttemptEnd>();
  const end = (result: AttemptResult | null, unsigned?: unknown) => {
    clearDeadline();
    const endedAt = clock();
    resolve({ result, latencyMs: endedAt - startedAt, endedAt, unsigned });
  };
  const abort = (result: AttemptResult | null) => {
    end(result);
    stop.abort();
  };
  const clearDeadline = deadlines.after(request.timeoutMs, () => abort(failed("timeout")));
  void exchange(request, egressFetch, startedAt, stop.signal).then(end, (error: unknown) => end(null, error));
  return { ended, cancel: () => abort(null) };
}

export function failed(error: DeliveryError): AttemptResult {
  return { ok: false, httpStatus: null, error };
}

/** Rejects only if the request cannot be signed. */
async function exchange(request: AttemptRequest, egressFetch: EgressFetch, startedAt: number, signal: AbortSignal): Promise<AttemptResult> {
  const { body, signature } = await sign(request, Math.floor(startedAt / 1_000));
  const headers = headersOf(request.headers, signature);
  try {
    const response = await egressFetch(request.url, {
      method: "POST",
      // A redirect is not followed and counts as a failure (docs/internals/delivery.md, "Attempts").
      redirect: "manual",
      headers,
      body,
      signal,
    });
    // Cancels the unread body, so that the connection is released.
    if (request.exchanged === undefined) response.body?.cancel().catch(() => undefined);
    else request.exchanged(headers, response);
    return attemptResultOf(response.status);
  } catch {
    request.exchanged?.(headers, null);
    // The runtime's DNS, TLS and socket errors cannot be distinguished.
    return failed("connection_failed");
  }
}

export async function signedHeaders(request: Pick<AttemptRequest, "id" | "headers" | "body" | "signing" | "keys">, now: number) {
  const { signature } = await sign(request, Math.floor(now / 1_000));
  return headersOf(request.headers, signature);
}

type Signed = { body: Uint8Array; signature: Record<string, string> };

/** Signs the request. The body is the tail of the signed bytes, so the text is encoded only once. */
async function sign(
  { id, body, signing, keys }: Pick<AttemptRequest, "id" | "body" | "signing" | "keys">,
  timestampS: number,
): Promise<Signed> {
  const preamble = signing.preamble(id, timestampS);
  const signed = UTF8.encode(preamble + body);
  const macs = await Promise.all((await keys).map((key) => crypto.subtle.sign("HMAC", key, signed)));
  // The preamble is ASCII, so its length in bytes is its length in characters.
  return {
    body: signed.subarray(preamble.length),
    signature: signing.headers(
      id,
      timestampS,
      macs.map((mac) => new Uint8Array(mac)),
    ),
  };
}

function headersOf(custom: Readonly<Record<string, string>>, signature: Readonly<Record<string, string>>): Record<string, string> {
  const headers: Record<string, string> = { "user-agent": USER_AGENT };
  for (const [name, value] of Object.entries(custom)) headers[name.toLowerCase()] = value;
  return { ...headers, "content-type": "application/json", ...signature };
}
