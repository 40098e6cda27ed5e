import type { Agent } from "node:https";
import type { LookupFunction } from "node:net";
import { HttpsProxyAgent } from "https-proxy-agent";
import { SocksProxyAgent } from "socks-proxy-agent";
import { buildConnector, ProxyAgent, Socks5ProxyAgent } from "undici";
import { isPublicHost } from "@gateway/protocol/addresses/public.ts";
import type { Network } from "#bridge/settings.ts";
import { guarded, NOT_PUBLIC, publicLookup, type DirectAccess } from "../session/media-hosts.ts";
import type { Proxies } from "../session/session-context.ts";

const CONNECT_TIMEOUT_MS = 30_000;

/** The library's own class waits indefinitely for an unresponsive proxy. */
class HttpAgent extends HttpsProxyAgent<string> {
  readonly #lookup: { lookup?: LookupFunction };

  constructor(url: URL, lookup: { lookup?: LookupFunction }) {
    super(url, { keepAlive: false });
    this.#lookup = lookup;
  }

  override async connect(...request: Parameters<HttpsProxyAgent<string>["connect"]>): ReturnType<HttpsProxyAgent<string>["connect"]> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), CONNECT_TIMEOUT_MS);
    try {
      return await new HttpsProxyAgent(this.proxy, { keepAlive: false, signal: late.signal, ...this.#lookup }).connect(...request);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Replaces a forbidden proxy's host. A literal IP address would skip the DNS lookup, in which forbidden addresses are rejected. */
const REFUSED_HOST = "refused.invalid";
const refuse: LookupFunction = (_hostname, _options, callback) => callback(new Error(NOT_PUBLIC), []);

export function createProxies(proxyUrl: string | null, { hosts, dispatcher }: DirectAccess, network: Network): Proxies | null {
  if (proxyUrl === null) return { dispatcher };
  if (!URL.canParse(proxyUrl)) return null;
  const url = new URL(proxyUrl);
  const isSocks = url.protocol === "socks5:" || url.protocol === "socks5h:";
  if (!isSocks && url.protocol !== "http:" && url.protocol !== "https:") return null;
  const isPublic = isPublicHost(hostnameOf(url));
  if (network.kind === "real" && !isPublic) url.host = `${REFUSED_HOST}:${url.port}`;
  const lookup = network.kind === "local" ? {} : { lookup: isPublic ? publicLookup : refuse };
  if (!isSocks) {
    const agent = asAgent(new HttpAgent(url, lookup));
    // The library drops a username without a password, so the token is built here.
    const token = url.username === "" ? {} : { token: basicToken(url) };
    return { agent, fetchAgent: agent, dispatcher: guarded(new ProxyAgent({ uri: url.origin, proxyTls: lookup, ...token }), hosts) };
  }
  const remote = new URL(url.href.replace(/^socks5:/, "socks5h:"));
  const agent = asAgent(new SocksProxyAgent(remote, { keepAlive: false, socketOptions: lookup as never }));
  const connect = buildConnector({ ...lookup, timeout: CONNECT_TIMEOUT_MS });
  const dispatcherBySocks = new Socks5ProxyAgent(url.href.replace(/^socks5h:/, "socks5:"), { connect });
  return { agent, fetchAgent: agent, dispatcher: guarded(dispatcherBySocks, hosts) };
}

/** Normalizes the host as for `http`, because the parser leaves the host of a `socks5` URL unchanged. */
export function hostnameOf(url: URL): string {
  return URL.parse(`http://${url.host}`)?.hostname ?? "";
}

function basicToken({ username, password }: URL): string {
  return `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64")}`;
}

/** The local network is on this machine, so only local proxies can reach it. */
export function proxyFor(network: Network, url: string | null): string | null {
  if (network.kind === "real" || url === null) return url;
  const host = URL.canParse(url) ? new URL(url).hostname : "";
  return host === "127.0.0.1" || host === "localhost" || host === "[::1]" ? url : null;
}

/** Both classes support plain and TLS connections, but the types of `https` allow only its own class. */
function asAgent(agent: HttpsProxyAgent<string> | SocksProxyAgent): Agent {
  return agent;
}

export async function closeProxies(proxies: Proxies): Promise<void> {
  if (proxies.agent === undefined) return;
  proxies.agent.destroy();
  await proxies.dispatcher.close().catch(() => undefined);
}
