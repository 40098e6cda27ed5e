// Workerd's own port, which every user of the machine can find and reach.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { FRONT_HEADER } from "#root/server/front/headers.ts";
import { startCrons } from "#root/server/runtime/crons.ts";
import type { PreparedWorker } from "#root/server/runtime/prepared-worker.ts";
import { HIDDEN_GATEWAY, runtimeOptions } from "#root/server/runtime/runtime-options.ts";

/** Counts its scheduled runs in an object. A PUT makes it send a request outside. */
const SCRIPT = `
export class Connection {
  constructor({ storage }) { this.storage = storage; }
  async fetch(request) {
    const runs = ((await this.storage.get("runs")) ?? 0) + (request.method === "POST" ? 1 : 0);
    await this.storage.put("runs", runs);
    return new Response(String(runs));
  }
}
const runs = (env, method) => env.CONNECTION.get(env.CONNECTION.idFromName("one")).fetch("https://object/", { method });
export default { fetch: (request, env) => (request.method === "PUT" ? fetch("https://example.com/") : runs(env, "GET")), scheduled: async (_event, env) => void (await runs(env, "POST")) };`;

const SECRET = "front's";
const storage = mkdtempSync(join(tmpdir(), "entry-port-"));
let runtime: Miniflare;
let port: number;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port: free } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return free;
}

beforeAll(async () => {
  port = await freePort();
  const server = { smtpUrl: null, webhookHosts: [], mailFolder: storage, frontSecret: SECRET, adminEmail: "a@b.co", dataFolder: storage };
  const more = { appUrl: "http://localhost:8787", backups: { folder: storage, time: "03:30", keep: 7 } };
  const options = { compatibilityDate: "2026-10-01", durableObjects: { CONNECTION: { className: "Connection", useSQLite: true } } };
  const prepared = { script: SCRIPT, options, root: "/", sources: {} } as unknown as PreparedWorker;
  const settings = { port, storage, strict: true, vars: {}, server: { ...server, ...more } };
  const { workers, ...shared } = runtimeOptions(settings, prepared);
  const echo = "export default { fetch: (request) => Response.json([request.url, ...request.headers]) };";
  const echoing = workers.map((worker) => (worker.name.startsWith("outside-") ? { ...worker, script: echo } : worker));
  runtime = new Miniflare(convertV4MiniflareOptions({ ...shared, workers: echoing } as ReturnType<typeof runtimeOptions>));
  await runtime.ready;
});
afterAll(async () => {
  await runtime.dispose();
  rmSync(storage, { recursive: true, force: true });
});

const throughFront = async (method: string) =>
  (await fetch(`http://127.0.0.1:${port}/`, { method, headers: { [FRONT_HEADER]: SECRET } })).text();
const countedRuns = () => throughFront("GET");

it("the entry port answers only 404 to other users of the machine", async () => {
  const entry = await runtime.ready;
  const answers: Record<string, number> = {};
  for (const name of ["", "gateway", "front", "outside", "mail", "receivers", "database", "closed"]) {
    const headers = { ...(name !== "" && { "MF-Route-Override": name }), "MF-Original-URL": "https://example.com/" };
    answers[name] = (await fetch(entry, { headers })).status;
  }
  expect(new Set(Object.values(answers))).toEqual(new Set([404]));
  for (const path of ["/cdn-cgi/explorer/", "/cdn-cgi/platform-proxy", "/"])
    expect((await fetch(new URL(path, entry))).status, path).toBe(404);
  const before = await countedRuns();
  for (const headers of [{}, { "MF-Route-Override": "gateway" }])
    await (await fetch(new URL("/cdn-cgi/local/scheduled?cron=*", entry), { headers })).text();
  expect(await countedRuns()).toBe(before);
});

it("outgoing requests do not reveal the worker's name", async () => {
  const sent = await throughFront("PUT");
  expect(sent).toContain("https://example.com/");
  expect(sent).not.toContain(HIDDEN_GATEWAY.slice("gateway-".length));
});

it("the host's crons reach the worker, and its objects are stored under their fixed name", async () => {
  const before = Number(await countedRuns());
  const stop = startCrons(runtime, HIDDEN_GATEWAY, ["* * * * *"]);
  await vi.waitFor(async () => expect(Number(await countedRuns())).toBeGreaterThan(before), { timeout: 60_000 });
  stop();
  expect(readdirSync(join(storage, "do"))).toContain("gateway-Connection");
});
