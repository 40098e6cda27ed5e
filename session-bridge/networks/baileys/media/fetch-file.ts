// The only way to files on the network's servers (docs/security.md, "Incoming files").
import { DEFAULT_ORIGIN } from "baileys";
import { fetch } from "undici";
import { fileUrl } from "../session/media-hosts.ts";
import type { NetworkSession } from "../session/session-context.ts";

export type FetchLimits = {
  timeoutMs: number;
  maxBytes: number;
  /** A transfer that brings fewer bytes within this time is ended: a slot must not be had by doing nothing. */
  progress: { bytes: number; withinMs: number };
};

/** 8 kB a second. */
export const LEAST_PROGRESS: FetchLimits["progress"] = { bytes: 120_000, withinMs: 15_000 };

export type FileAddress = Parameters<typeof fileUrl>[1];

/** The servers answer 403 as well for a file that they no longer have. */
const GONE = new Set([403, 404, 410]);

/** `gone`: the server no longer has it. `failed`: everything else, an address that is not of the network among it. */
export async function fetchFromNetwork(
  { mediaHosts, proxies: { dispatcher }, ended }: Pick<NetworkSession, "mediaHosts" | "proxies" | "ended">,
  address: FileAddress,
  { timeoutMs, maxBytes, progress }: FetchLimits,
  consume: (chunk: Buffer) => Promise<void> | void,
): Promise<"done" | "gone" | "failed"> {
  const url = fileUrl(mediaHosts, address);
  if (url === null) return "failed";
  const tooSlow = new AbortController();
  let received = 0;
  let seen = 0;
  const watch = setInterval(() => {
    if (received - seen < progress.bytes) tooSlow.abort();
    seen = received;
  }, progress.withinMs);
  try {
    const signal = AbortSignal.any([ended, tooSlow.signal, AbortSignal.timeout(timeoutMs)]);
    const response = await fetch(url, { signal, redirect: "error", headers: { origin: DEFAULT_ORIGIN }, dispatcher });
    const { body } = response;
    if (body === null) return "failed";
    if (!response.ok || Number(response.headers.get("content-length")) > maxBytes) {
      await body.cancel();
      return GONE.has(response.status) ? "gone" : "failed";
    }
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      received += chunk.length;
      if (received > maxBytes) return "failed";
      await consume(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    }
    return "done";
  } catch {
    // Broken connection, refused connection, a redirect, wrong padding: all the same to the caller.
    return "failed";
  } finally {
    clearInterval(watch);
  }
}
