// One HTTP attempt at one receiver: signed, never following a redirect, over as soon as the answer's headers are there.
import { type AttemptResult, type DeliveryError, resultOf } from "../../../src/domain/delivery.ts";
import type { Signing } from "../../../src/domain/signature.ts";

/** Sends a request to the outside; in the sandbox through the filtered egress service. */
export type Outgoing = (url: string, init: RequestInit) => Promise<Response>;

export type Request = {
  id: string;
  url: string;
  /** Custom ones; they may replace the user agent, nothing else of ours. */
  headers: Readonly<Record<string, string>>;
  body: string;
  signing: Signing;
  keys: Promise<readonly CryptoKey[]>;
  timeoutMs: number;
  /** Breaks the attempt off from outside. */
  broken: AbortSignal;
};

/** null: broken off by us. `endedAt` is Unix ms. */
export type Ended = { result: AttemptResult | null; latencyMs: number; endedAt: number };

const USER_AGENT = "Service-Webhooks/1.0";

/** Never rejects. The clock starts when the request does: whoever calls holds a slot already. */
export async function attempt(request: Request, outgoing: Outgoing, clock: () => number): Promise<Ended> {
  const startedAt = clock();
  const result = await trial(request, outgoing, startedAt);
  const endedAt = clock();
  return { result, latencyMs: endedAt - startedAt, endedAt };
}

async function trial(request: Request, outgoing: Outgoing, startedAt: number): Promise<AttemptResult | null> {
  const stop = new AbortController();
  // Whoever ends it decides how it ended; the request itself may be slow to notice.
  const { promise: ended, resolve: end } = Promise.withResolvers<AttemptResult | null>();
  const timer = setTimeout(() => end(failed("timeout")), request.timeoutMs);
  const breakOff = () => end(null);
  request.broken.addEventListener("abort", breakOff);
  if (request.broken.aborted) breakOff();
  void exchange(request, outgoing, startedAt, stop.signal).then(end);
  const result = await ended;
  stop.abort();
  clearTimeout(timer);
  request.broken.removeEventListener("abort", breakOff);
  return result;
}

async function exchange(request: Request, outgoing: Outgoing, startedAt: number, signal: AbortSignal): Promise<AttemptResult> {
  try {
    const bytes = new TextEncoder().encode(request.body);
    const signature = await sign(request, bytes, Math.floor(startedAt / 1_000));
    const response = await outgoing(request.url, {
      method: "POST",
      // Surface B, Delivery rules 1: a redirect is a failure, so it must not be followed.
      redirect: "manual",
      headers: headersOf(request.headers, signature),
      body: bytes,
      signal,
    });
    // The answer's body is ignored, and must not hold its connection.
    response.body?.cancel().catch(() => undefined);
    return resultOf(response.status);
  } catch {
    // What the runtime says of DNS, TLS and sockets is not told apart and not for customers (delivery-and-admission, X10).
    return failed("connection_failed");
  }
}

function headersOf(custom: Readonly<Record<string, string>>, signature: Readonly<Record<string, string>>): Headers {
  const headers = new Headers({ "user-agent": USER_AGENT });
  for (const [name, value] of Object.entries(custom)) headers.set(name, value);
  headers.set("content-type", "application/json");
  for (const [name, value] of Object.entries(signature)) headers.set(name, value);
  return headers;
}

export function failed(error: DeliveryError): AttemptResult {
  return { ok: false, httpStatus: null, error };
}

async function sign({ id, signing, keys }: Request, body: Uint8Array, timestampS: number): Promise<Record<string, string>> {
  const preamble = new TextEncoder().encode(signing.preamble(id, timestampS));
  const signed = new Uint8Array(preamble.length + body.length);
  signed.set(preamble);
  signed.set(body, preamble.length);
  const macs = await Promise.all((await keys).map((key) => crypto.subtle.sign("HMAC", key, signed)));
  return signing.headers(id, timestampS, macs.map((mac) => new Uint8Array(mac)));
}
