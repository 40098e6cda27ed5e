// Makes one API call: the request, its retries under one Idempotency-Key, and the error if it fails.
import { classOf } from "./codes.ts";
import { ApiError, ConnectionError, type ErrorCode, type ErrorFacts, GatewayError, type Outcome, RateLimitError } from "./errors.ts";
import type { ClientOptions, RequestOptions } from "./options.ts";
import type { ListenApi } from "./listen.ts";
import { pagePromise } from "./pages.ts";
import { type EventStream, eventStream, jittered, SILENCE_MS } from "./stream.ts";

type Query = Record<string, string | number | boolean | null | undefined>;
type Call = {
  method: string;
  prefix: string;
  path: string;
  query?: Query | undefined;
  body?: string | undefined;
  isSend?: boolean;
  isKeyed?: boolean;
  options: RequestOptions;
};

export const CONNECTION_PREFIX = "/api/v1/";
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
      throw new GatewayError("Call the gateway from a server: a browser would publish the key");
    this.#options = options;
    this.#baseUrl = options.baseUrl.replace(/\/+$/, "");
  }

  /** Runs a resource's method. `row` has the format of `generated/`, and `prefix` already contains its parameters. */
  run(row: string, prefix: string, given: readonly unknown[]): unknown {
    const [template = "", method = "GET", flags = ""] = row.split(" ");
    const rest = [...given];
    const has = (flag: string): boolean => flags.includes(flag);
    const call: Call = {
      method,
      prefix,
      path: prefix + template.replaceAll("{}", () => segment(rest.shift())),
      body: has("b") ? JSON.stringify(rest.shift()) : undefined,
      query: has("q") ? (rest.shift() as Query | undefined) : undefined,
      isSend: has("s"),
      isKeyed: method !== "GET" && !has("r"),
      options: (rest.shift() ?? {}) as RequestOptions,
    };
    if (has("e")) return this.#events(call);
    if (has("p")) return pagePromise((cursor) => this.#json({ ...call, query: { ...call.query, ...(cursor && { cursor }) } }) as never);
    const answer = this.#json(call);
    const isWrapped = has("d") || (has("s") && prefix !== CONNECTION_PREFIX);
    return isWrapped ? answer.then((json) => (json as { data: unknown }).data) : answer;
  }

  #events(call: Call): EventStream<unknown> {
    const { signal } = call.options;
    return eventStream((lastId) => this.#open(call, lastId), {
      sleep: (ms) => sleep(ms, signal),
      isFinal: (error) => signal?.aborted === true || (error instanceof ApiError && !isRetried(error)),
    });
  }

  /** The API calls that a durable listener makes under this prefix. */
  listenApi(prefix: string, known: readonly string[]): ListenApi {
    return {
      known,
      sleep,
      create: (body, signal) => this.run("listeners POST bd", prefix, [body, { signal }]) as Promise<{ id: string }>,
      open: (listener, lastEventId, signal) =>
        this.#open(
          { method: "GET", prefix, path: `${prefix}listeners/${segment(listener)}/events`, options: { signal } as RequestOptions },
          lastEventId,
        ).catch((error: unknown) => {
          throw error instanceof GatewayError ? error : this.#noAnswer(null, error);
        }),
    };
  }

  async #open(call: Call, lastId: string | null): Promise<Response> {
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), SILENCE_MS);
    try {
      const response = await this.#fetch(call, silence.signal, {
        accept: "text/event-stream",
        ...(lastId !== null && { "last-event-id": lastId }),
      });
      if (!response.ok) throw await this.#error(call, response, null);
      return response;
    } finally {
      clearTimeout(timer);
    }
  }

  async #json(call: Call): Promise<unknown> {
    const key = call.isKeyed ? (call.options.idempotencyKey ?? crypto.randomUUID()) : null;
    const retries = call.options.maxRetries ?? this.#options.maxRetries ?? 2;
    for (let attempt = 0; ; attempt += 1)
      try {
        return await this.#attempt(call, key);
      } catch (error) {
        const waitMs = attempt < retries ? pauseBefore(error, attempt) : null;
        if (waitMs === null) throw error;
        const { method, path } = call;
        this.#options.logger?.({ event: "retry", method, path, attempt: attempt + 1, waitMs, cause: (error as Error).name });
        await sleep(waitMs, call.options.signal);
      }
  }

  async #attempt(call: Call, key: string | null): Promise<unknown> {
    const { signal, timeoutMs } = call.options;
    const limit = timeoutMs ?? (call.isSend ? (this.#options.sendTimeoutMs ?? 75_000) : (this.#options.timeoutMs ?? 30_000));
    const timeout = AbortSignal.timeout(limit);
    let response: Response;
    try {
      response = await this.#fetch(call, timeout, key === null ? key : { "idempotency-key": key });
      if (response.ok)
        return await (`${response.headers.get("content-type")}`.startsWith("text/plain") ? response.text() : response.json());
    } catch (cause) {
      if (signal?.aborted === true) throw signal.reason;
      throw this.#noAnswer(key, cause, timeout.aborted ? ` within ${limit} ms` : "");
    }
    throw await this.#error(call, response, key);
  }

  #fetch({ method, path, query, body, options }: Call, timeout: AbortSignal, headers: Record<string, string> | null): Promise<Response> {
    const url = new URL(this.#baseUrl + path);
    for (const [name, value] of Object.entries(query ?? {}))
      if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
    const send = this.#options.fetch ?? globalThis.fetch;
    return send(url, {
      method,
      redirect: "error",
      headers: {
        "x-api-key": this.#options.apiKey,
        "user-agent": `gateway-sdk-ts/${VERSION}`,
        "accept-language": "en",
        ...(body && { "content-type": "application/json" }),
        ...headers,
      },
      body,
      signal: AbortSignal.any(options.signal ? [options.signal, timeout] : [timeout]),
    } as RequestInit);
  }

  #noAnswer(key: string | null, cause: unknown, when = ""): ConnectionError {
    return new ConnectionError(`The gateway at ${this.#baseUrl} did not answer${when}`, key, cause);
  }

  async #error(call: Call, response: Response, idempotencyKey: string | null): Promise<ApiError> {
    const facts = await factsOf(response, idempotencyKey);
    return new (classOf(facts.code, response.status))(facts, (timeoutMs) => this.#outcome(call, facts.messageId, timeoutMs));
  }

  /** Looks up a message whose send ended without a known outcome. */
  async #outcome(send: Call, messageId: string | null, timeoutMs: number): Promise<Outcome> {
    if (messageId === null) return "unknown";
    const end = Date.now() + timeoutMs;
    for (;;) {
      const message = await (this.run("messages/{} GET d", send.prefix, [messageId]) as Promise<{ status: string | null }>).catch(
        (error: unknown) => {
          if (!(error instanceof GatewayError)) throw error;
        },
      );
      const { status } = message ?? {};
      if (status === "failed") return "failed";
      if (["sent", "delivered", "read", "played"].includes(status ?? "")) return "sent";
      if (Date.now() + RESOLVE_PAUSE_MS > end) return "unknown";
      await sleep(RESOLVE_PAUSE_MS, undefined);
    }
  }

  /** A logged client must not show its key. */
  toJSON(): { baseUrl: string } {
    return { baseUrl: this.#baseUrl };
  }
}

/** Encodes one path segment. Throws if it is empty, `.` or `..`, because URL parsers resolve dots even when they are encoded. */
export function segment(value: unknown): string {
  if (!["string", "number"].includes(typeof value) || ["", ".", ".."].includes(value as string))
    throw new GatewayError('An id in the path is missing, "." or ".."');
  return encodeURIComponent(value as string);
}

type ErrorBody = { error?: Record<string, unknown>; request_id?: string } | null;

async function factsOf(response: Response, idempotencyKey: string | null): Promise<ErrorFacts> {
  const body = (await response.json().catch(() => null)) as ErrorBody;
  const { codigo, code = codigo ?? null, mensagem, message = mensagem, detalhes, details = detalhes ?? null } = body?.error ?? {};
  const fields = Array.isArray(details) ? details.map((each: object | null) => Object.values(each ?? {}).join(": ")).join("; ") : "";
  return {
    status: response.status,
    code: code as ErrorCode | null,
    message: message
      ? `${code as string}: ${message as string}${fields && ` (${fields})`}`
      : `The gateway or a proxy answered ${response.status}`,
    requestId: body?.request_id ?? response.headers.get("x-request-id"),
    details,
    retryAfter: secondsOf(response.headers.get("retry-after")),
    idempotencyKey,
    messageId: (details as { message_id?: string | null } | null)?.message_id ?? null,
  };
}

function secondsOf(header: string | null): number | null {
  if (header === null) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : Math.ceil((Date.parse(header) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}

function isRetried(error: unknown): boolean {
  if (error instanceof ConnectionError || error instanceof RateLimitError) return true;
  return error instanceof ApiError && RETRIED_STATUSES.has(error.status);
}

/** Milliseconds until the next attempt, or null if the call must not be retried. */
function pauseBefore(error: unknown, attempt: number): number | null {
  if (!isRetried(error)) return null;
  const { retryAfter: asked = null } = error as Partial<ApiError>;
  if (asked !== null) return asked <= LONGEST_RETRY_AFTER_S ? asked * 1000 : null;
  return jittered(Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS));
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
    signal?.addEventListener("abort", end);
  });
}
