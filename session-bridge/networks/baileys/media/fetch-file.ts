// The only code that fetches files from the network's servers (docs/operate/untrusted-input.md, "Incoming files").
import { DEFAULT_ORIGIN, getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from "baileys";
import { fetch } from "undici";
import { fileUrl, GONE_STATUSES } from "../session/media-hosts.ts";
import type { SessionContext } from "../session/session-context.ts";
import { perSession } from "../session/per-session.ts";
import { queryNetwork } from "../queries/network-query.ts";

export type FetchLimits = {
  timeoutMs: number;
  maxBytes: number;
  /** Slower transfers are aborted, so that they do not occupy slots. */
  progress: { bytes: number; withinMs: number };
};

export const LEAST_PROGRESS: FetchLimits["progress"] = { bytes: 120_000, withinMs: 15_000 };

export type FileAddress = Parameters<typeof fileUrl>[1];

const MAX_HOSTS = 3;

export type FetchContext = Pick<SessionContext, "session" | "sock" | "mediaHosts" | "proxies" | "ended" | "now">;
export type Consume = (chunk: Buffer) => Promise<void> | void;

/** Tries one host after another and calls `begin` before each attempt. `gone` means that the server has deleted the file. */
export async function fetchFromNetwork(
  ctx: FetchContext,
  address: FileAddress,
  limits: FetchLimits,
  begin: () => Consume | Promise<Consume>,
): Promise<"done" | "gone" | "failed"> {
  const url = fileUrl(ctx.mediaHosts, address);
  if (url === null) return "failed";
  let fetched = await fetchFrom(ctx, url, limits, await begin());
  if (isFinal(fetched)) return fetched;
  const others = address.directPath ? await otherUrls(ctx, address.directPath, url) : [];
  // A kept-alive connection may close just as it is reused, so if there is only one host, it is tried again.
  for (const next of others.length === 0 && fetched === "cut" ? [url] : others) {
    if (ctx.ended.aborted) break;
    fetched = await fetchFrom(ctx, next, limits, await begin());
    if (isFinal(fetched)) return fetched;
  }
  return "failed";
}

/** `cut` means that the connection broke, and `broken` that the host refused or was too slow. After both, a retry may succeed. */
type Fetched = "done" | "gone" | "failed" | "broken" | "cut";

function isFinal(fetched: Fetched): fetched is "done" | "gone" | "failed" {
  return fetched !== "broken" && fetched !== "cut";
}

async function otherUrls(ctx: FetchContext, directPath: string, tried: URL): Promise<URL[]> {
  const urls = new Map([[tried.host, tried]]);
  for (const host of await mediaHostNames(ctx)) {
    const url = fileUrl(ctx.mediaHosts, { url: `https://${host}/`, directPath });
    if (url !== null && !urls.has(url.host)) urls.set(url.host, url);
  }
  return [...urls.values()].slice(1, MAX_HOSTS);
}

async function fetchFrom(
  { proxies: { dispatcher }, ended }: FetchContext,
  url: URL,
  { timeoutMs, maxBytes, progress }: FetchLimits,
  consume: Consume,
): Promise<Fetched> {
  const tooSlow = new AbortController();
  let received = 0;
  let seen = 0;
  let consuming = false;
  const signal = AbortSignal.any([ended, tooSlow.signal, AbortSignal.timeout(timeoutMs)]);
  const watch = setInterval(() => {
    if (received - seen < progress.bytes) tooSlow.abort();
    seen = received;
  }, progress.withinMs);
  try {
    const response = await fetch(url, { signal, redirect: "error", headers: { origin: DEFAULT_ORIGIN }, dispatcher });
    const { body } = response;
    if (body === null) return "broken";
    if (!response.ok || Number(response.headers.get("content-length")) > maxBytes) {
      await body.cancel();
      if (response.ok) return "failed";
      return GONE_STATUSES.has(response.status) ? "gone" : "broken";
    }
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      received += chunk.length;
      if (received > maxBytes) return "failed";
      consuming = true;
      await consume(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      consuming = false;
    }
    return "done";
  } catch {
    if (consuming) return "failed";
    return signal.aborted ? "broken" : "cut";
  } finally {
    clearInterval(watch);
  }
}

// The network's media hosts, best first. The library's own query keeps failing until the socket is replaced.

const hostsOf = perSession(() => ({ names: [] as string[], until: 0 }));

async function mediaHostNames(ctx: Pick<SessionContext, "session" | "sock" | "now">): Promise<readonly string[]> {
  const known = hostsOf(ctx.session);
  if (ctx.now() < known.until) return known.names;
  const attrs = { type: "set", xmlns: "w:m", to: S_WHATSAPP_NET };
  const reply = await queryNetwork(ctx, attrs, [{ tag: "media_conn", attrs: {} }]).catch(() => null);
  const listed = reply === null ? undefined : getBinaryNodeChild(reply, "media_conn");
  if (listed === undefined) return known.names;
  known.names = getBinaryNodeChildren(listed, "host").flatMap(({ attrs: { hostname } }) => (hostname ? [hostname] : []));
  known.until = ctx.now() + (Number(listed.attrs["ttl"]) || 0) * 1_000;
  return known.names;
}
