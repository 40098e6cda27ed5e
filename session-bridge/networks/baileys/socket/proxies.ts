// A connection's own proxy, for the network socket, uploads and downloads alike: if one is missing, media bypasses it (docs/durability.md,
// "Proxies").
import type { Agent } from "node:https";
import { HttpsProxyAgent } from "https-proxy-agent";
import { SocksProxyAgent } from "socks-proxy-agent";
import { ProxyAgent, Socks5ProxyAgent } from "undici";
import { guarded, type DirectAccess } from "../session/media-hosts.ts";
import type { Proxies } from "../session/session-context.ts";

/** How long a proxy may take to connect; the limit of the SOCKS library as well. */
const CONNECT_TIMEOUT_MS = 30_000;

/** The library's own class waits for ever for a proxy that does not answer. */
class HttpAgent extends HttpsProxyAgent<string> {
  override async connect(...request: Parameters<HttpsProxyAgent<string>["connect"]>): ReturnType<HttpsProxyAgent<string>["connect"]> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), CONNECT_TIMEOUT_MS);
    try {
      return await new HttpsProxyAgent(this.proxy, { keepAlive: false, signal: late.signal }).connect(...request);
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * http, https, socks5 and socks5h; null when the address is none of these. A proxy resolves names by itself, so the addresses they lead to
 * are not judged here; the host's certificate has to be right all the same.
 */
export function createProxies(proxyUrl: string | null, { hosts, dispatcher }: DirectAccess): Proxies | null {
  if (proxyUrl === null) return { dispatcher };
  if (!URL.canParse(proxyUrl)) return null;
  const url = new URL(proxyUrl);
  if (url.protocol === "http:" || url.protocol === "https:") {
    const agent = asAgent(new HttpAgent(url, { keepAlive: false }));
    return { agent, fetchAgent: agent, dispatcher: guarded(new ProxyAgent(url.href), hosts) };
  }
  if (url.protocol !== "socks5:" && url.protocol !== "socks5h:") return null;
  // Host names are resolved at the proxy: a DNS query from here would reveal who talks to whom.
  const remote = new URL(url.href.replace(/^socks5:/, "socks5h:"));
  const agent = asAgent(new SocksProxyAgent(remote, { keepAlive: false }));
  const dispatcherBySocks = new Socks5ProxyAgent(url.href.replace(/^socks5h:/, "socks5:"));
  return { agent, fetchAgent: agent, dispatcher: guarded(dispatcherBySocks, hosts) };
}

/** Both classes serve plain and TLS connections; the types of `https` know only their own. */
function asAgent(agent: HttpsProxyAgent<string> | SocksProxyAgent): Agent {
  return agent;
}

export async function closeProxies(proxies: Proxies): Promise<void> {
  // The direct one serves all sessions.
  if (proxies.agent === undefined) return;
  proxies.agent.destroy();
  await proxies.dispatcher.close().catch(() => undefined);
}
