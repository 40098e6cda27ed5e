// All requests to Meta's Graph API, with their credentials, deadlines and response parsing (docs/internals/cloud.md, "Calls to Graph").
import { parseJson } from "@gateway/protocol/json.ts";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { ErrorResponse, type GraphError } from "@gateway/domain/cloud/graph-values.ts";
import { log } from "#root/src/log.ts";

export type { GraphError };

export type Transport = (url: string, init: RequestInit) => Promise<Response>;

export type GraphCredentials = { accessToken: string; appSecret: string };

/** `path` excludes the version, for example `/123/messages`. The request has either `json`, or `body` with its own headers. */
export type GraphCall = {
  method: "GET" | "POST" | "DELETE";
  path: string;
  query?: Readonly<Record<string, string>>;
  json?: object;
  body?: BodyInit;
  headers?: Readonly<Record<string, string>>;
  timeoutMs?: number;
  /** Replaces the bearer token, both in calls that the app makes for itself and in uploads, which use another format. */
  authorization?: string;
};

/** `refused` means that Graph did nothing, unless the code or a `status` >= 500 leaves that open. `lost` means no response. */
export type GraphReply =
  | { kind: "answered"; json: unknown }
  /** `json` is the whole response, which contains more than the error for lists of people. */
  | { kind: "refused"; error: GraphError; status: number; json: unknown }
  | { kind: "lost" };

/** The caller must read or cancel the body. */
export type GraphBytes = { kind: "answered"; response: Response } | { kind: "refused"; status: number } | { kind: "lost" };

export type Graph = {
  /** Starts the request synchronously, before this function returns. */
  call(call: GraphCall): Promise<GraphReply>;
  /** Fetches a file from a URL that Graph returned. Only Meta's hosts receive the token. */
  bytes(url: string, timeoutMs: number): Promise<GraphBytes>;
};

export type GraphDependencies = {
  baseUrl: string;
  version: string;
  credentials: () => GraphCredentials | null;
  transport: Transport;
  connection: string;
};

const TIMEOUT_MS = 20_000;
const USER_AGENT = "Service-Cloud/1.0";
const MAX_REDIRECTS = 3;
const NO_CREDENTIALS: GraphError = { code: 0, subcode: null, type: null, traceId: null };
const MEDIA_HOSTS = ["fbsbx.com", "fbcdn.net", "facebook.com", "whatsapp.net"];

export function createGraph(deps: GraphDependencies): Graph {
  return {
    call: (call) => exchange(deps, call),
    bytes: (url, timeoutMs) => download(deps, url, timeoutMs),
  };
}

function exchange(deps: GraphDependencies, call: GraphCall): Promise<GraphReply> {
  const credentials = deps.credentials();
  if (credentials === null) return Promise.resolve({ kind: "refused", error: NO_CREDENTIALS, status: 0, json: null });
  const { promise, resolve } = Promise.withResolvers<GraphReply>();
  const stop = new AbortController();
  const end = (reply: GraphReply, why: Readonly<Record<string, string | number | null>> | null) => {
    clearTimeout(timer);
    if (why !== null) log("cloud.graph_failed", { connection: deps.connection, method: call.method, call: callName(call.path), ...why });
    resolve(reply);
  };
  // Settles before it aborts, because the request may take a while to stop.
  const timer = setTimeout(() => {
    end({ kind: "lost" }, { reason: "timeout" });
    stop.abort();
  }, call.timeoutMs ?? TIMEOUT_MS);
  const { url, init } = requestOf(deps, call, credentials);
  const settle = async (read: Promise<Read>) => {
    const { reply, why } = await read;
    if (!stop.signal.aborted) end(reply, why);
  };
  void settle(ask(deps.transport, url, { ...init, signal: stop.signal }));
  return promise;
}

type Read = { reply: GraphReply; why: Readonly<Record<string, string | number | null>> | null };

async function ask(transport: Transport, url: string, init: RequestInit): Promise<Read> {
  try {
    const response = await transport(url, init);
    return answerOf(response.status, await response.text());
  } catch {
    // One reason for all cases, because the runtime does not distinguish its DNS, TLS and socket errors.
    return lost("connection", null);
  }
}

/** Looks for the error envelope regardless of the HTTP status, because Graph's error responses have various statuses. */
function answerOf(status: number, text: string): Read {
  const json = parseJson(text);
  const envelope = ErrorResponse.safeParse(json);
  if (envelope.success) {
    const { error } = envelope.data;
    const { code, subcode, type, traceId } = error;
    const why = { reason: "refused", status, code, subcode, type, fbtrace_id: traceId };
    return { reply: { kind: "refused", error, status, json }, why };
  }
  if (status < 200 || status >= 300) return lost("status", status);
  return typeof json === "object" && json !== null ? { reply: { kind: "answered", json }, why: null } : lost("unreadable", status);
}

function lost(reason: string, status: number | null): Read {
  return { reply: { kind: "lost" }, why: { reason, status } };
}

function requestOf(deps: GraphDependencies, call: GraphCall, credentials: GraphCredentials): { url: string; init: RequestInit } {
  const authorization = call.authorization ?? `Bearer ${credentials.accessToken}`;
  const url = new URL(`${deps.baseUrl}/${deps.version}${call.path}`);
  for (const [name, value] of Object.entries(call.query ?? {})) url.searchParams.set(name, value);
  // Only calls with the access token need the proof, because the app's own token contains the secret itself.
  if (authorization.endsWith(` ${credentials.accessToken}`)) url.searchParams.set("appsecret_proof", proofOf(credentials));
  const json = call.json === undefined ? {} : { "content-type": "application/json" };
  const headers = { "user-agent": USER_AGENT, authorization, ...json, ...call.headers };
  const body = call.json === undefined ? call.body : JSON.stringify(call.json);
  // Does not follow redirects, because a redirect would send the token to another host.
  return { url: url.href, init: { method: call.method, redirect: "manual", headers, ...(body === undefined ? {} : { body }) } };
}

function proofOf({ accessToken, appSecret }: GraphCredentials): string {
  return bytesToHex(hmac(sha256, utf8ToBytes(appSecret), utf8ToBytes(accessToken)));
}

async function download(deps: GraphDependencies, from: string, timeoutMs: number): Promise<GraphBytes> {
  const credentials = deps.credentials();
  if (credentials === null) return { kind: "refused", status: 401 };
  const headers = { "user-agent": USER_AGENT, authorization: `Bearer ${credentials.accessToken}` };
  const signal = AbortSignal.timeout(timeoutMs);
  let url = from;
  try {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      if (!mayHaveToken(deps.baseUrl, url)) break;
      const response = await deps.transport(url, { method: "GET", redirect: "manual", headers, signal });
      if (response.ok) return { kind: "answered", response };
      await response.body?.cancel();
      const location = response.headers.get("location");
      if (response.status < 300 || response.status >= 400 || location === null) return { kind: "refused", status: response.status };
      url = URL.parse(location, url)?.href ?? "";
    }
    log("cloud.graph_failed", { connection: deps.connection, method: "GET", call: "file", reason: "address" });
  } catch {
    log("cloud.graph_failed", { connection: deps.connection, method: "GET", call: "file", reason: "connection" });
  }
  return { kind: "lost" };
}

function mayHaveToken(baseUrl: string, address: string): boolean {
  const url = URL.parse(address);
  if (url === null || url.username !== "" || url.password !== "") return false;
  if (url.origin === new URL(baseUrl).origin) return true;
  const isOfMeta = MEDIA_HOSTS.some((host) => url.hostname === host || url.hostname.endsWith(`.${host}`));
  return url.protocol === "https:" && url.port === "" && isOfMeta;
}

function callName(path: string): string {
  return /[a-z_]{4,}$/.exec(path)?.[0] ?? "object";
}
