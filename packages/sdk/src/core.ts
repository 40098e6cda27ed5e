// Makes one API call: the request, its retries under one Idempotency-Key, and the error if it fails.
import { apiError } from "./codes.ts";
import {
  ApiError,
  ConnectionError,
  type ErrorCode,
  type ErrorFacts,
  GatewayError,
  NotConnectedError,
  type Outcome,
  RateLimitError,
} from "./errors.ts";
import type { ClientOptions, RequestOptions } from "./options.ts";
import type { ListenApi } from "./listen.ts";
import { type PagePromise, pagePromise } from "./pages.ts";
import { type EventStream, eventStream } from "./stream.ts";

type Call = {
  method: string;
  path: string;
  url: URL;
  body: string | undefined;
  isSend: boolean;
  isKeyed: boolean;
  options: RequestOptions;
};
type Query = Record<string, string | number | boolean | null | undefined>;

const VERSION = "0.1.0";
const LONGEST_RETRY_AFTER_S = 60;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;
const RETRIED_STATUSES = new Set([408, 502, 503, 504]);
const RESOLVE_PAUSE_MS = 2_000;

export class Core {
  readonly #options: ClientOptions;
  readonly #baseUrl: string;

  constructor(options: ClientOptions) {
    if (typeof options.apiKey !== "string" || options.apiKey === "") throw new GatewayError("apiKey is missing");
    if (!URL.canParse(options.baseUrl)) throw new GatewayError("baseUrl is not a URL");
    if ("window" in globalThis && "document" in globalThis)
      throw new GatewayError("The key would be public in a browser: call the gateway from a server");
    this.#options = options;
    this.#baseUrl = options.baseUrl.replace(/\/+$/, "");
  }

  /** Runs a resource's method. `row` has the format of `generated/`, and `prefix` already contains its parameters. */
  run(row: string, prefix: string, given: readonly unknown[]): unknown {
    const [method = "GET", template = "", flags = ""] = row.split(" ");
    const rest = [...given];
    const path = prefix + template.replaceAll(/\{\w+\}/g, () => segment(rest.shift()));
    const body = flags.includes("b") ? rest.shift() : undefined;
    const query = flags.includes("q") ? (rest.shift() as Query | undefined) : undefined;
    const options = (rest.shift() ?? {}) as RequestOptions;
    const call = (added: Query = {}): Call => ({
      method,
      path,
      url: this.#url(path, { ...query, ...added }),
      body: body === undefined ? undefined : JSON.stringify(body),
      isSend: flags.includes("s"),
      isKeyed: flags.includes("k"),
      options,
    });
    if (flags.includes("e")) return this.#events(call());
    if (flags.includes("p")) return this.#pages((cursor) => this.#json(call(cursor === undefined ? {} : { cursor })));
    const answer = this.#json(call());
    return flags.includes("d") ? answer.then((json) => (json as { data: unknown }).data) : answer;
  }

  #pages(load: (cursor: string | undefined) => Promise<unknown>): PagePromise<unknown> {
    return pagePromise(load as Parameters<typeof pagePromise<unknown>>[0]);
  }

  #events(call: Call): EventStream<unknown> {
    const isFinal = (error: unknown): boolean => call.options.signal?.aborted === true || (error instanceof ApiError && !isRetried(error));
    return eventStream((lastId) => this.#open(call, lastId), { sleep: (ms) => sleep(ms, call.options.signal), isFinal });
  }

  /** The API calls that a durable listener under this prefix makes. */
  listenApi(prefix: string, typeField: "type" | "event", known: readonly string[]): ListenApi {
    return {
      typeField,
      known,
      sleep,
      create: (body) => this.run("POST listeners bdk", prefix, [body]) as Promise<{ id: string }>,
      open: async (listener, lastEventId, signal) => {
        const path = `${prefix}listeners/${segment(listener)}/events`;
        const options = signal === undefined ? {} : { signal };
        const call: Call = { method: "GET", path, url: this.#url(path, {}), body: undefined, isSend: false, isKeyed: false, options };
        try {
          return await this.#open(call, lastEventId);
        } catch (error) {
          throw error instanceof GatewayError ? error : new ConnectionError("The gateway did not answer", null, error);
        }
      },
    };
  }

  async #open(call: Call, lastId: string | null): Promise<Response> {
    const response = await this.#fetch(call, call.options.signal, {
      accept: "text/event-stream",
      ...(lastId === null ? {} : { "last-event-id": lastId }),
    });
    if (!response.ok) throw await this.#error(call, response, null);
    return response;
  }

  async #json(call: Call): Promise<unknown> {
    const key = call.isKeyed ? (call.options.idempotencyKey ?? crypto.randomUUID()) : null;
    const retries = call.options.maxRetries ?? this.#options.maxRetries ?? 2;
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await this.#attempt(call, key);
      if (outcome.ok) return outcome.json;
      const waitMs = attempt < retries ? pauseBefore(outcome.error, attempt) : null;
      if (waitMs === null) throw outcome.error;
      this.#options.logger?.({
        event: "retry",
        method: call.method,
        path: call.path,
        attempt: attempt + 1,
        waitMs,
        cause: outcome.error.name,
      });
      await sleep(waitMs, call.options.signal);
    }
  }

  async #attempt(call: Call, key: string | null): Promise<{ ok: true; json: unknown } | { ok: false; error: GatewayError }> {
    const { signal, timeoutMs } = call.options;
    const limit = timeoutMs ?? (call.isSend ? (this.#options.sendTimeoutMs ?? 75_000) : (this.#options.timeoutMs ?? 30_000));
    const timeout = AbortSignal.timeout(limit);
    try {
      const response = await this.#fetch(
        call,
        signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
        key === null ? {} : { "idempotency-key": key },
      );
      if (!response.ok) return { ok: false, error: await this.#error(call, response, key) };
      return { ok: true, json: await response.json() };
    } catch (cause) {
      if (signal?.aborted === true) throw signal.reason;
      const message = timeout.aborted ? `No answer within ${limit} ms` : "The gateway did not answer";
      return { ok: false, error: new ConnectionError(message, key, cause) };
    }
  }

  #fetch(call: Call, signal: AbortSignal | undefined, headers: Record<string, string>): Promise<Response> {
    const send = this.#options.fetch ?? globalThis.fetch;
    return send(call.url, {
      method: call.method,
      redirect: "error",
      headers: {
        "x-api-key": this.#options.apiKey,
        "user-agent": `gateway-sdk-ts/${VERSION}`,
        ...(call.body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(call.body === undefined ? {} : { body: call.body }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  async #error(call: Call, response: Response, idempotencyKey: string | null): Promise<ApiError> {
    const facts = await factsOf(response, idempotencyKey);
    return apiError(facts, (timeoutMs) => this.#outcome(call, facts.messageId, timeoutMs));
  }

  /** Looks up a message whose send ended without a known outcome. */
  async #outcome(send: Call, messageId: string | null, timeoutMs: number): Promise<Outcome> {
    if (messageId === null) return "unknown";
    const end = Date.now() + timeoutMs;
    const path = `${send.path.slice(0, send.path.lastIndexOf("messages/"))}messages/${segment(messageId)}`;
    const call: Call = { method: "GET", path, url: this.#url(path, {}), body: undefined, isSend: false, isKeyed: false, options: {} };
    for (;;) {
      const answer = await this.#json(call).catch((error: unknown) =>
        error instanceof ApiError || error instanceof ConnectionError ? null : Promise.reject(error),
      );
      const { status } = (answer as { data?: { status?: string | null } } | null)?.data ?? {};
      if (status === "failed") return "failed";
      if (status === "sent" || status === "delivered" || status === "read" || status === "played") return "sent";
      if (Date.now() + RESOLVE_PAUSE_MS > end) return "unknown";
      await sleep(RESOLVE_PAUSE_MS, undefined);
    }
  }

  #url(path: string, query: Query): URL {
    const url = new URL(this.#baseUrl + path);
    for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
    return url;
  }

  /** A logged client must not show its key. */
  toJSON(): { baseUrl: string } {
    return { baseUrl: this.#baseUrl };
  }
}

/**
 * Encodes one path segment. Throws for a segment that would call a different route: an empty one, and `.` and `..`, which URL parsers
 * resolve even when they are encoded.
 */
export function segment(value: unknown): string {
  if ((typeof value !== "string" && typeof value !== "number") || value === "") throw new GatewayError("An id in the path is missing");
  if (value === "." || value === "..") throw new GatewayError(`"${value}" in the path is not an id`);
  return encodeURIComponent(value);
}

async function factsOf(response: Response, idempotencyKey: string | null): Promise<ErrorFacts> {
  const body: unknown = await response.json().catch(() => null);
  const { error, request_id } = (body ?? {}) as { error?: Record<string, unknown>; request_id?: string };
  const details = error?.["detalhes"] ?? error?.["details"] ?? null;
  const code = (error?.["codigo"] ?? error?.["code"] ?? null) as ErrorCode | null;
  const messageId =
    typeof details === "object" && details !== null && !Array.isArray(details) ? (details as Record<string, unknown>)["message_id"] : null;
  const message = error?.["mensagem"] ?? error?.["message"];
  return {
    status: response.status,
    code,
    message: typeof message === "string" ? `${code}: ${message}` : `The gateway, or a proxy before it, answered ${response.status}`,
    requestId: request_id ?? response.headers.get("x-request-id"),
    details,
    retryAfter: secondsOf(response.headers.get("retry-after")),
    idempotencyKey,
    messageId: typeof messageId === "string" ? messageId : null,
  };
}

function secondsOf(header: string | null): number | null {
  if (header === null) return null;
  if (/^\d+$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}

function isRetried(error: GatewayError): boolean {
  if (error instanceof ConnectionError || error instanceof RateLimitError) return true;
  if (error instanceof NotConnectedError) return error.status === 503;
  return error instanceof ApiError && RETRIED_STATUSES.has(error.status);
}

/** Milliseconds until the next attempt, or null if there must be none. */
function pauseBefore(error: GatewayError, attempt: number): number | null {
  if (!isRetried(error)) return null;
  const asked = error instanceof ApiError ? error.retryAfter : null;
  if (asked !== null) return asked <= LONGEST_RETRY_AFTER_S ? asked * 1000 : null;
  return Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2);
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, ms);
    if (signal?.aborted === true) end();
    else signal?.addEventListener("abort", end, { once: true });
  });
}
