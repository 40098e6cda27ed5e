// Isolate startup: the bundle that `wrangler deploy` uploads, and a fresh runtime's CPU time until its first response, compared with the
// same runtime running a tiny script. The long form also measures the first request of a fresh isolate on each API.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { DEPLOYMENT_SECRETS, ROOT, wranglerBuild } from "../test/support/deployment/wrangler-build.ts";
import { workerdCpuUs } from "./support/cpu-time.ts";
import { median } from "./support/figures.ts";
import { endReport, figure, isShort, ratio } from "./support/report.ts";

const STARTS = isShort ? 5 : 15;
const FIRST_REQUESTS = 30;
/** Startup goals (docs/internals/costs.md, "Start of an isolate"). */
const AIM = { ms: 90, kib: 400 };

const { workerOptions } = unstable_getMiniflareWorkerOptions(join(ROOT, "wrangler.toml"), undefined, {
  overrides: { enableContainers: false },
});

const classes = Object.values(workerOptions.durableObjects ?? {}).map((object) => (typeof object === "string" ? object : object.className));
/** A script that has only the classes named in the bindings. */
const FEW_LINES = `import { DurableObject } from "cloudflare:workers";
${classes.map((name) => `export class ${name} extends DurableObject {}`).join("\n")}
export default { fetch: () => new Response(null, { status: 404 }) };`;

const folder = mkdtempSync(join(tmpdir(), "bench-start-"));
const { script } = await wranglerBuild(folder).finally(() => rmSync(folder, { recursive: true }));
const gzipKib = gzipSync(script).length / 1_024;
const rounds: { ours: number; bare: number }[] = [];
for (let n = 0; n <= STARTS; n += 1) {
  const round = { bare: await startMs(FEW_LINES), ours: await startMs(script) };
  // Excludes each side's first start, which loads files into the page cache.
  if (n > 0) rounds.push(round);
}
const ownMs = median(rounds.map(({ ours, bare }) => ours - bare));
process.stdout.write(
  `bundle: ${(script.length / 1_024).toFixed(0)} KiB, ${gzipKib.toFixed(0)} KiB gzip (aim <= ${AIM.kib})\n` +
    `processor time until the first answer: ${ownMs.toFixed(0)} ms more than a script of a few lines (aim <= ${AIM.ms})\n`,
);
ratio("gzip", AIM.kib / gzipKib);
ratio("cpu", median(rounds.map(({ ours, bare }) => bare / ours)));
figure("gzip_kib", gzipKib);
figure("start_ms", ownMs);
if (!isShort)
  for (const [api, path] of [
    ["account", "/api/instances"],
    ["connection", "/api/v1/chats"],
  ] as const) {
    const ms = await firstRequestMs(path);
    process.stdout.write(
      `first request of a fresh isolate on the ${api} API, without a key: p50 ${ms.toFixed(1)} ms of ${FIRST_REQUESTS}\n`,
    );
    figure(`first_${api}_ms`, ms);
  }
endReport("start");
process.exit(0);

/** The runtime's CPU time from its start to a response, in ms. */
async function startMs(contents: string): Promise<number> {
  return await inFreshRuntime(contents, async (runtime) => {
    await statusOf(runtime, "/docs/none", 404);
    return workerdCpuUs(process.pid) / 1_000;
  });
}

/** The median time of the first request after the script was evaluated, in ms. It includes loading the API's modules. */
async function firstRequestMs(path: string): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < FIRST_REQUESTS; n += 1) {
    const ms = await inFreshRuntime(script, async (runtime) => {
      await runtime.ready;
      const at = performance.now();
      await statusOf(runtime, path, 401);
      return performance.now() - at;
    });
    times.push(ms);
  }
  return median(times);
}

async function statusOf(runtime: Miniflare, path: string, expected: number): Promise<void> {
  const answer = await runtime.dispatchFetch(`https://api.example.com${path}`);
  const text = await answer.text();
  if (answer.status !== expected) throw new Error(`${path} returned ${answer.status}: ${text}`);
}

async function inFreshRuntime<T>(contents: string, use: (runtime: Miniflare) => Promise<T>): Promise<T> {
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      workers: [
        {
          ...workerOptions,
          name: "gateway",
          rootPath: ROOT,
          modules: [{ type: "ESModule", path: join(ROOT, "worker.js"), contents }],
          bindings: { ...(workerOptions.bindings as object), ...DEPLOYMENT_SECRETS },
        },
      ],
    } as Parameters<typeof convertV4MiniflareOptions>[0]),
  );
  try {
    return await use(runtime);
  } finally {
    await runtime.dispose();
  }
}
