// One HTTP attempt at one receiver: signed, never following a redirect, over as soon as the answer's headers are there.
import { type AttemptResult, type DeliveryError, resultOf } from "../../../src/domain/webhooks/delivery.ts";
import type { Signing } from "../../../src/domain/webhooks/signature.ts";
import type { Deadlines } from "./deadlines.ts";

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
};

/** `result` null: broken off by us. `endedAt` is Unix ms. */
export type Ended = { result: AttemptResult | null; latencyMs: number; endedAt: number };

/** `ended` never rejects. */
export type Attempt = { ended: Promise<Ended>; breakOff: () => void };

const USER_AGENT = "Service-Webhooks/1.0";
const UTF8 = new TextEncoder();

/** The clock starts now: whoever calls holds a slot already. */
export function startAttempt(request: Request, outgoing: Outgoing, deadlines: Deadlines, clock: () => number): Attempt {
  const startedAt = clock();
  const stop = new AbortController();
  const { promise: ended, resolve } = Promise.withResolvers<Ended>();
  const end = (result: AttemptResult | null) => {
    forget();
    const endedAt = clock();
    resolve({ result, latencyMs: endedAt - startedAt, endedAt });
  };
  // Whoever gives up first decides how it ended; the request itself may be slow to notice.
  const giveUp = (result: AttemptResult | null) => {
    end(result);
    stop.abort();
  };
  const forget = deadlines.after(request.timeoutMs, () => giveUp(failed("timeout")));
  void exchange(request, outgoing, startedAt, stop.signal).then(end);
  return { ended, breakOff: () => giveUp(null) };
}

export function failed(error: DeliveryError): AttemptResult {
  return { ok: false, httpStatus: null, error };
}

async function exchange(request: Request, outgoing: Outgoing, startedAt: number, signal: AbortSignal): Promise<AttemptResult> {
  try {
    const { body, signature } = await sign(request, Math.floor(startedAt / 1_000));
    const response = await outgoing(request.url, {
      method: "POST",
      // A redirect is a failure, so it must not be followed (docs/delivery.md, "Attempts").
      redirect: "manual",
      headers: headersOf(request.headers, signature),
      body,
      signal,
    });
    // The answer's body is ignored, and must not hold its connection.
    response.body?.cancel().catch(() => undefined);
    return resultOf(response.status);
  } catch {
    // What the runtime says of DNS, TLS and sockets is not told apart and not for customers (docs/delivery.md, "Attempts").
    return failed("connection_failed");
  }
}

type Signed = { body: Uint8Array; signature: Record<string, string> };

/** The body's bytes are the end of what is signed, so both come of one encoding. */
async function sign({ id, body, signing, keys }: Request, timestampS: number): Promise<Signed> {
  const preamble = signing.preamble(id, timestampS);
  const signed = UTF8.encode(preamble + body);
  const macs = await Promise.all((await keys).map((key) => crypto.subtle.sign("HMAC", key, signed)));
  // A preamble is ASCII: as many bytes as characters.
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
