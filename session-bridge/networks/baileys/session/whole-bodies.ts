// Downloads by the library: history and app state. If a connection broke within a body, the library's download would never end
// (docs/internals/baileys.md, "Defects of the libraries"). It therefore gets a response only once the whole body has arrived.
import { setTimeout as pause } from "node:timers/promises";
import { DEF_MEDIA_HOST } from "baileys";
import type { Dispatcher } from "undici";
import type { Proxies } from "./session-context.ts";
import { GONE_STATUSES, type MediaHosts } from "./media-hosts.ts";

export type BodyLimits = { maxBytes: number; silenceMs: number; totalMs: number; retryDelaysMs: readonly number[] };

export const BODY_LIMITS: BodyLimits = {
  /** These files have a few megabytes. The library also keeps a file's decompressed content in memory. */
  maxBytes: 64 * 1024 * 1024,
  silenceMs: 10_000,
  /** Covers all attempts. Shorter than the journal's `HANDLER_LIMIT_MS`, after which a number's messages lose their order. */
  totalMs: 50_000,
  retryDelaysMs: [1_000, 3_000],
};

const RETRIED_STATUSES = new Set([408, 429, 500, 502, 503, 504]);
const REAL_ORIGIN = `https://${DEF_MEDIA_HOST}`;

/** Options for the library's downloads. `onGone` is called with the path of a file that the host has deleted, or that is too large. */
export function downloadOptions(
  { dispatcher }: Pick<Proxies, "dispatcher">,
  { standard }: Pick<MediaHosts, "standard">,
  onGone: (path: string) => void = () => undefined,
  limits: BodyLimits = BODY_LIMITS,
): RequestInit {
  const whole = dispatcher.compose((dispatch) => (options, handler) => {
    if (options.method !== "GET") return dispatch(options, handler);
    // The library always names the real network's host, which a local network does not have.
    const origin = String(options.origin) === REAL_ORIGIN ? `https://${standard}` : options.origin;
    void deliver(dispatch, { ...options, ...(origin !== undefined && { origin }) }, handler, { limits, onGone });
    return true;
  });
  return { dispatcher: whole } as unknown as RequestInit;
}

type Head = { statusCode: number; headers: Parameters<NonNullable<Dispatcher.DispatchHandler["onResponseStart"]>>[2]; text?: string };
type Reply = Head & { body: Buffer };

type Context = { limits: BodyLimits; onGone: (path: string) => void };

async function deliver(
  dispatch: Dispatcher["dispatch"],
  options: Dispatcher.DispatchOptions,
  handler: Dispatcher.DispatchHandler,
  { limits, onGone }: Context,
): Promise<void> {
  const aborted = new AbortController();
  const controller: Dispatcher.DispatchController = {
    get aborted() {
      return aborted.signal.aborted;
    },
    get reason() {
      return aborted.signal.aborted ? (aborted.signal.reason as Error) : null;
    },
    paused: false,
    abort: (reason) => aborted.abort(reason),
    pause: () => undefined,
    resume: () => undefined,
  };
  try {
    handler.onRequestStart?.(controller, {});
    const signal = AbortSignal.any([aborted.signal, AbortSignal.timeout(limits.totalMs)]);
    const { statusCode, headers, text, body } = await receive(dispatch, options, limits, signal);
    if (GONE_STATUSES.has(statusCode)) onGone(options.path);
    handler.onResponseStart?.(controller, statusCode, headers, text);
    handler.onResponseData?.(controller, body);
    handler.onResponseEnd?.(controller, {});
  } catch (error) {
    if (error instanceof TooLarge) onGone(options.path);
    handler.onResponseError?.(controller, error as Error);
  }
}

class TooLarge extends Error {}

async function receive(
  dispatch: Dispatcher["dispatch"],
  options: Dispatcher.DispatchOptions,
  limits: BodyLimits,
  signal: AbortSignal,
): Promise<Reply> {
  for (const delayMs of limits.retryDelaysMs) {
    try {
      const reply = await attempt(dispatch, options, limits, signal);
      if (!RETRIED_STATUSES.has(reply.statusCode)) return reply;
    } catch (error) {
      if (signal.aborted || !isBroken(error)) throw error;
    }
    await pause(delayMs, null, { signal });
  }
  return attempt(dispatch, options, limits, signal);
}

/** Connection errors have a code. Errors for a refused host or an oversized body have none, so they are not retried. */
function isBroken(error: unknown): boolean {
  return typeof (error as { code?: unknown } | null)?.code === "string";
}

async function attempt(
  dispatch: Dispatcher["dispatch"],
  options: Dispatcher.DispatchOptions,
  { maxBytes, silenceMs }: BodyLimits,
  signal: AbortSignal,
): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const chunks: Buffer[] = [];
  let head: Head | null = null;
  let size = 0;
  let abort = (): void => undefined;
  const refuseLarge = (controller: Dispatcher.DispatchController, bytes: number): void => {
    if (bytes > maxBytes) controller.abort(new TooLarge("the file is too large"));
  };
  dispatch(
    { ...options, headersTimeout: silenceMs, bodyTimeout: silenceMs },
    {
      onRequestStart(controller) {
        abort = () => controller.abort(signal.reason as Error);
        if (signal.aborted) abort();
        else signal.addEventListener("abort", abort);
      },
      onResponseStart(controller, statusCode, headers, text) {
        if (statusCode < 200) return;
        head = { statusCode, headers, ...(text !== undefined && { text }) };
        refuseLarge(controller, Number(headers["content-length"] ?? 0));
      },
      onResponseData(controller, chunk) {
        chunks.push(chunk);
        size += chunk.length;
        refuseLarge(controller, size);
      },
      onResponseEnd: () => (head === null ? reject(new Error("no response")) : resolve({ ...head, body: Buffer.concat(chunks) })),
      onResponseError: (_controller, error) => reject(error),
    },
  );
  return promise.finally(() => signal.removeEventListener("abort", abort));
}
