// The baseline: a worker that answers every request with the same bytes, hosted as the sandbox hosts the gateway (one workerd, a
// direct socket).
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { childrenOf } from "./cpu-time.ts";

export type BareWorker = { port: number; pid: number; stop(): Promise<void> };

/** Answers JSON of as many bytes as the request's path says: `/500`. */
const SCRIPT = `const texts = new Map();
const headers = { "content-type": "application/json" };
const textOf = (path) => {
  const text = JSON.stringify({ data: "x".repeat(Math.max(0, Number(path.slice(1)) - 11)) });
  texts.set(path, text);
  return text;
};
export default {
  fetch(request) {
    const path = request.url.slice(request.url.indexOf("/", 8));
    return new Response(texts.get(path) ?? textOf(path), { headers });
  },
};`;

export function startBareWorker(): Promise<BareWorker> {
  return hostWorker(SCRIPT);
}

/** Runs a worker of one script. */
export async function hostWorker(script: string): Promise<BareWorker> {
  const before = new Set(childrenOf(process.pid));
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      workers: [
        {
          name: "bare",
          modules: true,
          script,
          compatibilityDate: "2026-10-01",
          compatibilityFlags: ["nodejs_compat"],
          unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
        },
      ],
    }),
  );
  const url = await runtime.unsafeGetDirectURL("bare");
  const pid = childrenOf(process.pid).find((child) => !before.has(child)) ?? 0;
  return { port: Number(url.port), pid, stop: () => runtime.dispose() };
}
