// Checks whether a proxy reaches the network, with the same agents as a session but none of its data.
import { request as requestHttp, type ClientRequest, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { lookup } from "node:dns/promises";
import type { TLSSocket } from "node:tls";
import { DEFAULT_CONNECTION_CONFIG } from "baileys";
import {
  ExitAddress,
  PROXY_CHECK_TIMEOUT_MS,
  type ProxyCheck,
  type ProxyCheckResult,
  type ProxyError,
} from "@gateway/protocol/bridge-socket.ts";
import { isPublicHost } from "@gateway/protocol/addresses/public.ts";
import { USER_AGENT } from "#bridge/gateway/refusals.ts";
import type { Network } from "#bridge/settings.ts";
import { isPublicAddress, NOT_PUBLIC, type DirectAccess } from "../session/media-hosts.ts";
import type { Proxies } from "../session/session-context.ts";
import { closeProxies, createProxies, hostnameOf, proxyFor } from "./proxies.ts";

const EXIT_TIMEOUT_MS = 5_000;
const MAX_EXIT_BYTES = 1_000;

type Dependencies = { network: Network; direct: DirectAccess; exitAddress: URL };

/** Never rejects. The exit IP address is optional, because a proxy may allow only the network's hosts. */
export async function checkProxy(check: ProxyCheck, { network, direct, exitAddress }: Dependencies): Promise<ProxyCheckResult> {
  const refused = network.kind === "local" ? null : await judgeAddress(check.url);
  if (refused !== null) return { ok: false, error: refused };
  if (check.reach === "address") return { ok: true, latency_ms: 0, exit: null };
  const proxies = createProxies(proxyFor(network, check.url), direct, network);
  if (proxies === null || proxies.agent === undefined) return { ok: false, error: "address_not_allowed" };
  const startedAt = performance.now();
  const failed = await shakeHands(networkUrl(network), proxies.agent);
  const latency_ms = Math.round(performance.now() - startedAt);
  const exit = failed === null && check.exit_ticket !== null ? await askExit(exitAddress, check.exit_ticket, proxies.agent) : null;
  void closeProxies(proxies);
  return failed === null ? { ok: true, latency_ms, exit } : { ok: false, error: failed };
}

/** Detects a forbidden proxy before anything is sent. The connection itself enforces the same rule. */
async function judgeAddress(proxyUrl: string): Promise<ProxyError | null> {
  const url = URL.parse(proxyUrl);
  if (url === null) return "failed";
  const host = hostnameOf(url);
  if (!isPublicHost(host)) return "address_not_allowed";
  try {
    const found = await lookup(host.replace(/^\[|\]$/g, ""), { all: true });
    return found.every(({ address }) => isPublicAddress(address)) ? null : "address_not_allowed";
  } catch {
    return "name_not_found";
  }
}

function networkUrl(network: Network): URL {
  const url = new URL(network.kind === "local" ? network.url : DEFAULT_CONNECTION_CONFIG.waWebSocketUrl);
  url.protocol = url.protocol.replace("ws", "http");
  return url;
}

/** Waits for the TLS handshake or, without TLS, for the first response. Null on success. */
async function shakeHands(url: URL, agent: NonNullable<Proxies["agent"]>): Promise<ProxyError | null> {
  const secure = url.protocol === "https:";
  const done = Promise.withResolvers<ProxyError | null>();
  const request = open(url, agent, PROXY_CHECK_TIMEOUT_MS, { method: "HEAD" });
  onProxyRefusal(request, (error) => done.resolve(error));
  request.on("socket", (socket) => {
    if (secure) (socket as TLSSocket).once("secureConnect", () => done.resolve(null));
  });
  request.on("response", (response) => {
    response.resume();
    done.resolve(null);
  });
  request.on("error", (error) => done.resolve(errorOf(error)));
  if (!secure) request.end();
  const result = await done.promise;
  request.destroy();
  return result;
}

async function askExit(url: URL, ticket: string, agent: NonNullable<Proxies["agent"]>): Promise<ExitAddress | null> {
  const done = Promise.withResolvers<ExitAddress | null>();
  const request = open(url, agent, EXIT_TIMEOUT_MS, { method: "GET", headers: { ...USER_AGENT, authorization: `Bearer ${ticket}` } });
  onProxyRefusal(request, () => done.resolve(null));
  request.on("response", (response) => void readExit(response).then(done.resolve));
  request.on("error", () => done.resolve(null));
  request.end();
  const exit = await done.promise;
  request.destroy();
  return exit;
}

async function readExit(response: IncomingMessage): Promise<ExitAddress | null> {
  let text = "";
  try {
    for await (const chunk of response.setEncoding("utf8")) {
      text += chunk as string;
      if (text.length > MAX_EXIT_BYTES) return null;
    }
    return response.statusCode === 200 ? (ExitAddress.safeParse(JSON.parse(text)).data ?? null) : null;
  } catch {
    return null;
  }
}

function open(url: URL, agent: NonNullable<Proxies["agent"]>, timeoutMs: number, options: object): ClientRequest {
  const signal = AbortSignal.timeout(timeoutMs);
  return url.protocol === "https:" ? requestHttps(url, { agent, signal, ...options }) : requestHttp(url, { agent, signal, ...options });
}

/** Handles the proxy's response to CONNECT, which the agent would otherwise pass on as the network's response. */
function onProxyRefusal(request: ClientRequest, refused: (error: ProxyError) => void): void {
  request.on("proxyConnect", ({ statusCode }: { statusCode: number }) => {
    if (statusCode !== 200) refused(statusCode === 407 ? "credentials_refused" : "proxy_refused");
  });
}

const BY_CODE: Readonly<Record<string, ProxyError>> = {
  ECONNREFUSED: "connection_refused",
  ENOTFOUND: "name_not_found",
  EAI_AGAIN: "name_not_found",
  ETIMEDOUT: "timeout",
  ABORT_ERR: "timeout",
};

/** SOCKS libraries report errors only as text, which may contain addresses, so this returns only a category. */
function errorOf(error: Error): ProxyError {
  const { code } = error as { code?: unknown };
  const known = BY_CODE[typeof code === "string" ? code : (/\bE[A-Z]+\b/.exec(error.message)?.[0] ?? "")];
  if (known !== undefined) return known;
  if (error.message === NOT_PUBLIC) return "address_not_allowed";
  if (/authentication/i.test(error.message)) return "credentials_refused";
  if (/rejected connection/i.test(error.message)) return "proxy_refused";
  if (/timed out/i.test(error.message)) return "timeout";
  if (typeof code === "string" && /CERT|TLS|SSL|EPROTO|SIGNATURE/.test(code)) return "tls_failed";
  return "failed";
}
