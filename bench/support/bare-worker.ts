// The yardstick: a worker that answers "hello", hosted as the sandbox hosts the gateway (one workerd, a direct socket).
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { freePort } from "../../src/sandbox/host/ports.ts";

const HELLO = `export default { fetch: () => new Response("hello") };`;

export type BareWorker = { port: number; stop(): Promise<void> };

export async function startBareWorker(): Promise<BareWorker> {
  const port = (await freePort(0)) ?? 0;
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      workers: [
        {
          name: "bare",
          modules: true,
          script: HELLO,
          compatibilityDate: "2026-10-01",
          compatibilityFlags: ["nodejs_compat"],
          unsafeDirectSockets: [{ host: "127.0.0.1", port }],
        },
      ],
    }),
  );
  await runtime.ready;
  return { port, stop: () => runtime.dispose() };
}
