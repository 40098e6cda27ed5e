import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { INTERNAL, MEDIA_HEADERS, StoredMediaResponse } from "@gateway/protocol/internal-http.ts";
import { backoffMs } from "../reconnect-delays.ts";
import type { MediaFile, MediaLink } from "../networks/network.ts";
import { isOwnRefusal, USER_AGENT } from "./refusals.ts";

const MAX_ATTEMPTS = 3;
const REQUEST_TIMEOUT_MS = 30_000;
const RETRY_FIRST_MS = 200;
const RETRY_CAP_MS = 2_000;

const RETRYABLE = new Set([401, 408, 429]);
/** These statuses are final only if the gateway itself sent them, because a proxy in front of it may return them too. */
const OWN_ONLY = new Set([403, 404, 410]);

type Gateway = { url: URL; credential: string };

export function createMediaLink(gateway: Gateway, connection: string, ended: AbortSignal): MediaLink {
  const own = { ...USER_AGENT, authorization: `Bearer ${gateway.credential}` };
  const within = (ms: number): AbortSignal => AbortSignal.any([ended, AbortSignal.timeout(ms)]);
  return {
    async upload(body, file) {
      // The request is built outside the retry loop, because an invalid header value would fail every attempt.
      const request = { method: "PUT", headers: new Headers({ ...own, ...headersOf(file) }) };
      const url = new URL(INTERNAL.mediaUpload(connection), gateway.url);
      // A consumed stream cannot be resent, so only buffers are retried.
      const fetched = Buffer.isBuffer(body)
        ? await withRetries(() => fetch(url, { ...request, body: new Uint8Array(body), signal: within(REQUEST_TIMEOUT_MS) }))
        : await once(() => fetch(url, streaming(request, body, within(REQUEST_TIMEOUT_MS * 4))));
      // `fetch` leaves the stream open if it could not connect. A deleted file occupies the disk as long as it is open.
      if (!Buffer.isBuffer(body)) body.destroy();
      if (!fetched.ok) return fetched;
      return readStored(fetched.value);
    },

    async open(token) {
      const url = new URL(INTERNAL.media(connection, token), gateway.url);
      const fetched = await withRetries(() => fetch(url, { headers: own, signal: within(REQUEST_TIMEOUT_MS * 2) }));
      if (!fetched.ok) return fetched;
      if (fetched.value.body === null) return fail("unavailable");
      const size = Number(fetched.value.headers.get("content-length") ?? Number.NaN);
      return {
        ok: true,
        value: { stream: Readable.fromWeb(fetched.value.body as ReadableStream), size: Number.isFinite(size) ? size : null },
      };
    },
  };
}

function headersOf(file: MediaFile): Record<string, string> {
  return {
    "content-type": file.mimetype,
    "content-length": String(file.size),
    ...(file.filename === null ? {} : { [MEDIA_HEADERS.filename]: encodeURIComponent(file.filename.toWellFormed()) }),
    ...(file.days === undefined ? {} : { [MEDIA_HEADERS.days]: String(file.days) }),
    ...(file.sha256 === null ? {} : { [MEDIA_HEADERS.sha256]: file.sha256 }),
  };
}

function streaming(request: RequestInit, body: Readable, signal: AbortSignal): RequestInit {
  return { ...request, body: Readable.toWeb(body), duplex: "half", signal } as unknown as RequestInit;
}

async function readStored(response: Response): Promise<Outcome<{ token: string; size: number }>> {
  const parsed = StoredMediaResponse.safeParse(await response.json().catch(() => null));
  return parsed.success ? { ok: true, value: parsed.data } : fail("unavailable");
}

async function withRetries(ask: () => Promise<Response>): Promise<Outcome<Response>> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await once(ask);
    if (outcome.ok || outcome.failure.code !== "unavailable" || attempt === MAX_ATTEMPTS) return outcome;
    await new Promise((resolve) => setTimeout(resolve, backoffMs(attempt, RETRY_FIRST_MS, RETRY_CAP_MS)));
  }
}

async function once(ask: () => Promise<Response>): Promise<Outcome<Response>> {
  let response: Response;
  try {
    response = await ask();
  } catch {
    return fail("unavailable");
  }
  if (response.ok) return { ok: true, value: response };
  if (OWN_ONLY.has(response.status)) {
    if (!(await isOwnRefusal(response.body))) return fail("unavailable");
    return fail(response.status === 403 ? "instance_reconnecting" : "media_expired");
  }
  await response.body?.cancel();
  if (response.status === 413) return fail("media_too_large");
  return fail(response.status >= 500 || RETRYABLE.has(response.status) ? "unavailable" : "media_invalid");
}
