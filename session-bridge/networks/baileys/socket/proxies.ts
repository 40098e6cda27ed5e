// A connection's own proxy, for the network socket, uploads and downloads alike: if one is missing, media bypasses it (docs/durability.md,
// "Proxies").
import type { Agent } from "node:https";
import { HttpsProxyAgent } from "https-proxy-agent";
import { SocksProxyAgent } from "socks-proxy-agent";
import { ProxyAgent, Socks5ProxyAgent } from "undici";
import type { Proxies } from "../session/session-context.ts";

/** http, https, socks5 and socks5h; null when the address is none of these. No proxy: an empty object. */
export function createProxies(proxyUrl: string | null): Proxies | null {
  if (proxyUrl === null) return {};
  if (!URL.canParse(proxyUrl)) return null;
  const url = new URL(proxyUrl);
  if (url.protocol === "http:" || url.protocol === "https:") {
    const agent = asAgent(new HttpsProxyAgent(url, { keepAlive: false }));
    return { agent, fetchAgent: agent, dispatcher: new ProxyAgent(url.href) };
  }
  if (url.protocol !== "socks5:" && url.protocol !== "socks5h:") return null;
  // Host names are resolved at the proxy: a DNS query from here would reveal who talks to whom.
  const remote = new URL(url.href.replace(/^socks5:/, "socks5h:"));
  const agent = asAgent(new SocksProxyAgent(remote, { keepAlive: false }));
  return { agent, fetchAgent: agent, dispatcher: new Socks5ProxyAgent(url.href.replace(/^socks5h:/, "socks5:")) };
}

/** Both classes serve plain and TLS connections; the types of `https` know only their own. */
function asAgent(agent: HttpsProxyAgent<string> | SocksProxyAgent): Agent {
  return agent;
}

export async function closeProxies(proxies: Proxies): Promise<void> {
  proxies.agent?.destroy();
  await proxies.dispatcher?.close().catch(() => undefined);
}
