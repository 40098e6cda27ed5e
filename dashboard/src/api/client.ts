// Dashboard API client. A route is named by its method and path, so no route table is bundled. The types come from the contract.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { ResponseBody, JsonRoute, Request, Route } from "../contract.ts";
import { filledPath } from "../domain/path.ts";
import { type ErrorBody, Refused, refusedBy } from "./refused.ts";
import { recordServerTime } from "./server-time.ts";

export type { ResponseBody, JsonRoute, Request };

const BASE = "/api/dashboard";

/** `idempotencyKey` is sent as `Idempotency-Key`. It stays the same when a user action is retried. */
type CallOptions = { signal?: AbortSignal; idempotencyKey?: string; language?: string };

/** Returns the body of a 2xx response. For any other response, throws `Refused`. */
export async function api<N extends JsonRoute>(name: N, given: Request<N>, options: CallOptions = {}): Promise<ResponseBody<N>> {
  const { method, url, rest } = addressOf(name, given);
  const reads = method === "GET";
  const query = reads ? queryOf(rest) : "";
  const headers: Record<string, string> = { Accept: "application/json", "Accept-Language": document.documentElement.lang };
  if (!reads) {
    headers["Content-Type"] = "application/json";
    headers["Idempotency-Key"] = options.idempotencyKey ?? crypto.randomUUID();
  }
  const response = await call(url + query, { method, headers, signal: options.signal ?? null, body: reads ? null : JSON.stringify(rest) });
  return read(response);
}

export function isResponding(): Promise<boolean> {
  return api("GET /session", {}).then(
    () => true,
    () => false,
  );
}

/** The URL of a stream or file that the browser opens itself. */
export function addressFor<N extends Route>(name: N, given: Request<N>): string {
  const { url, rest } = addressOf(name, given);
  return url + queryOf(rest);
}

export function reading<N extends JsonRoute & `GET ${string}`>(name: N, given: Request<N>) {
  return queryOptions({
    queryKey: [name, given] as const,
    queryFn: ({ signal }) => api(name, given, { signal }),
    placeholderData: keepPreviousData,
  });
}

export function addressOf(name: string, given: unknown): { method: string; url: string; rest: Record<string, unknown> } {
  const [method = "", path = ""] = name.split(" ");
  const rest: Record<string, unknown> = { ...(given as Record<string, unknown>) };
  const url = filledPath(path, (parameter) => {
    const value = String(rest[parameter]);
    delete rest[parameter];
    return value;
  });
  return { method, url: BASE + url, rest };
}

export function queryOf(given: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given))
    if (value !== undefined && value !== null && value !== "") query.set(name, String(value as string | number | boolean));
  return query.size === 0 ? "" : `?${query}`;
}

async function call(url: string, init: RequestInit): Promise<Response> {
  const early = init.method === "GET" ? takeEarly(url) : undefined;
  const askedAt = early === undefined ? Date.now() : performance.timeOrigin;
  try {
    const response = await (early ?? fetch(url, { ...init, credentials: "same-origin", cache: "no-store", redirect: "error" }));
    recordServerTime(response.headers.get("date"), askedAt);
    return response;
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw reported(new Refused("offline", { status: 0 }));
  }
}

declare global {
  /** Requests that `public/before.js` has started, by URL. */
  var early: Record<string, Promise<Response>> | undefined;
}

const EARLY_MS = 30_000;

/** Returns an early response only once, and only if it is recent. */
function takeEarly(url: string): Promise<Response> | undefined {
  const response = globalThis.early?.[url];
  if (response === undefined) return undefined;
  delete globalThis.early?.[url];
  return performance.now() < EARLY_MS ? response : undefined;
}

export async function read<T>(response: Response): Promise<T> {
  const body = (await response.json().catch(() => null)) as ErrorBody;
  // The response is not validated here, because the contract tests check every response against its schema.
  if (response.ok && body !== null) return body as T;
  throw reported(refusedBy(response, body));
}

const listeners = new Set<(refused: Refused) => void>();

export function reported(refused: Refused): Refused {
  for (const listener of listeners) listener(refused);
  return refused;
}

export function onRefused(listener: (refused: Refused) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
