// A worker whose only outbound access is the sandbox's. It shows which hosts the gateway could reach if a URL passed every textual check.
import { createServer } from "node:http";
import { type AddressInfo } from "node:net";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { egressService, OUTSIDE } from "../../server/runtime/egress.ts";

/** Requests `url` through the binding named in the header and reports only whether anything answered. */
const SCRIPT = `export default { async fetch(request, env) {
  const url = request.headers.get("x-url");
  const go = request.headers.get("x-way") === "egress" ? (u) => env.EGRESS.fetch(u) : fetch;
  try { return new Response((await go(url, { redirect: "manual" })).status < 600 ? "reached" : ""); }
  catch { return new Response("refused"); }
} };`;

export type Probe = { ask(way: "egress" | "fetch", url: string): Promise<string>; dispose(): Promise<void> };

export async function egressProbe(strict: boolean): Promise<Probe> {
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      workers: [
        {
          name: "probe",
          modules: true,
          compatibilityDate: OUTSIDE.compatibilityDate,
          script: SCRIPT,
          serviceBindings: { EGRESS: egressService(strict) },
          outboundService: { name: OUTSIDE.name },
        },
        OUTSIDE,
      ],
    }),
  );
  const at = await runtime.ready;
  return {
    ask: async (way, url) => (await fetch(at, { headers: { "x-way": way, "x-url": url } })).text(),
    dispose: () => runtime.dispose(),
  };
}

/** A server on all of this machine's addresses that counts the requests it gets. */
export async function localServer(): Promise<{ port: number; hits(): number; stop(): Promise<void> }> {
  let hits = 0;
  const server = createServer((_request, response) => {
    hits += 1;
    response.end("inside");
  });
  await new Promise<void>((resolve) => server.listen(0, "::", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    hits: () => hits,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
