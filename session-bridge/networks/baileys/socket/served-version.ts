// Looks up the version that the network serves to its web client, over the session's own route.
import type { WAVersion } from "baileys";
import { get as getPlain } from "node:http";
import { get } from "node:https";
import type { Network } from "#bridge/settings.ts";
import { publicLookup } from "../session/media-hosts.ts";
import type { Proxies } from "../session/session-context.ts";

const REAL_URL = "https://web.whatsapp.com/sw.js";
const PATH = new URL(REAL_URL).pathname;
const SERIES = [2, 3000] as const;
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 2_000_000;
/** Without this header, the network serves a page for outdated browsers. */
const HEADERS = {
  "sec-fetch-site": "none",
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
};

export async function fetchServedVersion(network: Network, { fetchAgent }: Proxies): Promise<WAVersion | null> {
  const text = await read(servedAt(network), fetchAgent).catch(() => null);
  const revision = /\\?"client_revision\\?":\s*(?<revision>\d{1,10})/.exec(text ?? "")?.groups?.["revision"];
  return revision === undefined ? null : [...SERIES, Number(revision)];
}

function servedAt(network: Network): URL {
  if (network.kind === "real") return new URL(REAL_URL);
  const url = new URL(PATH, network.url);
  url.protocol = url.protocol.replace("ws", "http");
  return url;
}

function read(url: URL, agent: Proxies["fetchAgent"]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const direct = url.protocol === "https:" ? { lookup: publicLookup } : {};
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  // A request aborted while it waits for its proxy emits no event. Without this listener, all sessions would wait for it forever.
  signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  const options = { headers: HEADERS, signal, ...(agent === undefined ? direct : { agent }) };
  const request = (url.protocol === "https:" ? get : getPlain)(url, options, (response) => {
    if (response.statusCode !== 200) return void request.destroy(new Error("not served"));
    const chunks: Buffer[] = [];
    let size = 0;
    response.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BYTES) request.destroy(new Error("too large"));
      chunks.push(chunk);
    });
    response.on("end", () => resolve(Buffer.concat(chunks).toString()));
    response.on("error", reject);
  });
  request.on("error", reject);
  return promise;
}
