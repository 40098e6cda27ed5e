// API requests per second, compared with a bare worker in the same run, with the same runtime, hosting and client.
import { customer, person } from "../test/support/clients.ts";
import { chatId } from "../test/support/arrivals.ts";
import { startSandbox, type Sandbox } from "../test/support/sandbox.ts";
import { startBareWorker } from "./support/bare-worker.ts";
import { runInTurn, print } from "./support/figures.ts";
import { fillStore } from "./support/filled-store.ts";
import { cpuMs } from "./support/cpu-time.ts";
import { loadFor, type TimedLoad } from "./support/timed-load.ts";
import { type Answer, HttpPool, requestBytes } from "./support/http-pool.ts";
import { endReport, figure, isShort, ratio } from "./support/report.ts";

const ROUNDS = 9;
const ROUND_MS = 700;
const WARM_UP_MS = 1_500;
const CONCURRENCIES = isShort ? [16] : [1, 16, 64];
const GROWTH = { concurrency: 16, chats: [10, 100_000], connections: [1, 1_000] } as const;
const CREATE_CONCURRENCY = 8;
const WAKE_CONCURRENCY = 64;
const WAKE_PASSES = 3;
const FLOORS = { object: "an object", query: "an object that reads ten rows" } as const;

/** `floor`: a second baseline, a bare worker that also calls an object. */
type Case = { name: string; key?: string; status: number; request: () => Buffer; floor?: keyof typeof FLOORS };

/** The sample rate of wrangler.toml. Writing every log line would cost another process as much CPU time as the worker. */
const LOG_SAMPLE = "0.01";

const sandbox = await startSandbox(["--no-limits"], { LOG_SAMPLE });
process.stdout.write(
  `sandbox started with --no-limits and production's LOG_SAMPLE ${LOG_SAMPLE}; loopback only; ratios within this run are what counts\n`,
);
const bare = await startBareWorker();
/** Makes each call's values unique. */
let uniqueCalls = 0;
const generator = { busyMs: 0, measuredMs: 0 };
try {
  await prepare(sandbox);
  for (const each of casesOf(sandbox)) {
    if (isShort && each.floor === undefined) continue;
    for (const concurrency of CONCURRENCIES) await compare(sandbox, each, concurrency, each.name);
  }
  if (isShort) await end();
  const byChats: Map<string, number>[] = [];
  for (const chats of GROWTH.chats) {
    await growTo(sandbox, chats);
    const ratios = new Map<string, number>();
    for (const each of casesOf(sandbox, chats)) {
      if (each.status !== 200) continue;
      const { key: _reported, ...again } = each;
      ratios.set(each.name, await compare(sandbox, again, GROWTH.concurrency, `${each.name}, ${chats} chats`));
    }
    byChats.push(ratios);
  }
  for (const [name, few] of byChats[0] ?? []) printGrowth(`${name}, ${GROWTH.chats.join(" → ")} chats`, few, byChats[1]?.get(name));

  const keys = [sandbox.ready().demo.connection.api_key];
  const byConnections: number[] = [];
  for (const connections of GROWTH.connections) {
    await createConnections(sandbox, keys, connections);
    const request = () => requestBytes("GET", "/api/v1/instance", { "x-api-key": keys[unique() % keys.length] ?? "" });
    const name = `cached read, ${connections} connections in turn`;
    await wake(sandbox, keys);
    byConnections.push(await compare(sandbox, { name, status: 200, request }, GROWTH.concurrency, name));
  }
  printGrowth(`cached read, ${GROWTH.connections.join(" → ")} connections`, byConnections[0], byConnections[1]);
  await end();
} finally {
  await dispose();
}

async function end(): Promise<never> {
  process.stdout.write(`the load generator used ${((100 * generator.busyMs) / generator.measuredMs).toFixed(0)} % of one core\n`);
  endReport("api");
  await dispose();
  process.exit(0);
}

async function dispose(): Promise<void> {
  await bare.stop();
  await sandbox.dispose();
}

/** The measured calls. `chats`: number of chats in the store besides Eco's. */
function casesOf({ ready }: Sandbox, chats = 0): Case[] {
  const { demo } = ready();
  const good = { "x-api-key": demo.connection.api_key };
  const bad = { "x-api-key": `${demo.connection.api_key.slice(0, -1)}${demo.connection.api_key.endsWith("0") ? "1" : "0"}` };
  const eco = `${demo.contact?.phone}@c.us`;
  const chat = (n: number) => (chats === 0 ? eco : chatId((n * 7_919) % chats));
  const message = JSON.stringify({ to: demo.contact?.phone, text: "bench" });
  const json = { ...good, "content-type": "application/json" };
  return [
    {
      name: "cached read (aim >= 0.45)",
      key: "cached",
      status: 200,
      floor: "object",
      request: () => requestBytes("GET", "/api/v1/instance", good),
    },
    {
      name: "uncached read (aim >= 0.25)",
      key: "uncached",
      status: 200,
      floor: "query",
      // Every query is different, so that no response is cached. All queries return the same page, because no message is that old.
      request: () => requestBytes("GET", `/api/v1/chats/${chat(unique())}/messages?limit=10&after=${1_000_000_000 + unique()}`, good),
    },
    {
      name: "invalid key, blocked address (aim >= 0.6)",
      status: 429,
      request: () => requestBytes("GET", "/api/v1/instance", bad),
    },
    {
      name: "invalid key, each time a new address",
      status: 401,
      request: () => requestBytes("GET", "/api/v1/instance", { ...bad, "cf-connecting-ip": address(unique()) }),
    },
    { name: "text send", status: 200, request: () => requestBytes("POST", "/api/v1/messages/text", json, message) },
  ];
}

/**
 * Loads the gateway and a bare worker in turn; the bare worker responds with the same number of bytes. Prints the comparison and, for
 * reads, also one with a bare worker that calls an object. Returns the ratio of CPU time per call.
 */
async function compare({ ready }: Sandbox, { key, status, request, floor }: Case, concurrency: number, name: string): Promise<number> {
  const gateway = await HttpPool.open(Number(new URL(ready().app_url).port), concurrency);
  const baseline = await HttpPool.open(bare.port, concurrency);
  const { bytes } = await gateway.send(request());
  const plain = requestBytes("GET", `/${bytes}`, { "x-api-key": "bare" });
  const expecting = async (expected: number, answer: Promise<Answer>) => {
    const seen = (await answer).status;
    if (seen !== expected) throw new Error(`${name} answered ${seen}`);
  };
  const [gatewayCpu, baselineCpu] = [meterCpu(ready().processes.worker), meterCpu(bare.pid)];
  const ours = (ms: number) => gatewayCpu.during(loadFor(ms, concurrency, () => expecting(status, gateway.send(request()))));
  const theirs = (ms: number) => baselineCpu.during(loadFor(ms, concurrency, () => expecting(200, baseline.send(plain))));
  // Warm-up, so that compilation is not measured.
  await ours(WARM_UP_MS);
  await theirs(WARM_UP_MS);
  const result = await runInTurn(
    ROUNDS,
    () => ours(ROUND_MS),
    () => theirs(ROUND_MS),
  );
  print(`${name}, concurrency ${concurrency}`, result);
  const [ourCost, itsCost] = [gatewayCpu.microsecondsPerCall(), baselineCpu.microsecondsPerCall()];
  process.stdout.write(
    `  CPU time per call: gateway ${ourCost.toFixed(0)} µs, baseline ${itsCost.toFixed(0)} µs, ratio ${(itsCost / ourCost).toFixed(2)}\n`,
  );
  if (key !== undefined) {
    ratio(`rate_${key}_${concurrency}`, result.rate);
    ratio(`cpu_${key}_${concurrency}`, itsCost / ourCost);
    figure(`cpu_us_${key}_${concurrency}`, ourCost);
  }
  if (floor !== undefined) {
    const asking = requestBytes("GET", `/${floor}/${bytes}`, { "x-api-key": "bare" });
    const floorCpu = meterCpu(bare.pid);
    const alike = (ms: number) => floorCpu.during(loadFor(ms, concurrency, () => expecting(200, baseline.send(asking))));
    await alike(WARM_UP_MS);
    const beside = await runInTurn(
      ROUNDS,
      () => ours(ROUND_MS),
      () => alike(ROUND_MS),
    );
    const cost = floorCpu.microsecondsPerCall();
    process.stdout.write(
      `  beside a bare worker that asks ${FLOORS[floor]}: rate ${beside.rate.toFixed(2)}, CPU time ${cost.toFixed(0)} µs, ratio ${(cost / gatewayCpu.microsecondsPerCall()).toFixed(2)}\n`,
    );
  }
  gateway.close();
  baseline.close();
  return itsCost / ourCost;
}

/**
 * Sums the CPU time of a process and its children. Also reports this process's own CPU time, because a load generator that needs a whole
 * core distorts the results.
 */
function meterCpu(pid: number) {
  let [ms, calls] = [0, 0];
  return {
    async during(running: Promise<TimedLoad>): Promise<TimedLoad> {
      const [before, ownBefore, startedAt] = [cpuMs(pid), process.cpuUsage(), performance.now()];
      const result = await running;
      ms += cpuMs(pid) - before;
      calls += result.calls;
      const own = process.cpuUsage(ownBefore);
      generator.busyMs += (own.user + own.system) / 1_000;
      generator.measuredMs += performance.now() - startedAt;
      return result;
    },
    microsecondsPerCall: () => (1_000 * ms) / calls,
  };
}

function printGrowth(what: string, few: number | undefined, many: number | undefined): void {
  process.stdout.write(`${what}: costs ${((few ?? Number.NaN) / (many ?? Number.NaN)).toFixed(2)} times as much\n`);
}

/** Prepares messages to read, a blocked address, and a contact that does not reply. */
async function prepare({ ready }: Sandbox): Promise<void> {
  const { app_url, network_url, demo } = ready();
  await fetch(`${network_url}/phones/${demo.contact?.phone}`, {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ reply: null }),
  });
  for (let n = 0; n < 10; n += 1) await customer(ready()).text(demo.contact?.phone ?? "", "bench");
  for (let n = 0; n < 25; n += 1) await fetch(`${app_url}/api/v1/instance`);
}

async function growTo(sandbox: Sandbox, chats: number): Promise<void> {
  const { instance_id } = sandbox.ready().demo.connection;
  await sandbox.stop();
  await fillStore(sandbox.directory, instance_id, chats);
  await sandbox.start();
  await prepare(sandbox);
}

/** Creates connections with one key each until the list has this many keys. */
async function createConnections({ ready }: Sandbox, keys: string[], connections: number): Promise<void> {
  const owner = await person(ready());
  const make = async (n: number) => {
    const { body } = await owner.call("POST", "/connections", { name: `Bench ${n}` });
    return (await owner.call("POST", `/connections/${body.data.id}/keys`, { name: "bench" })).body.data.key as string;
  };
  while (keys.length < connections) {
    const some = Array.from({ length: Math.min(CREATE_CONCURRENCY, connections - keys.length) }, (_, n) => make(keys.length + n));
    keys.push(...(await Promise.all(some)));
  }
}

/** Wakes all objects first: they hibernate after ten idle seconds, and waking is measured separately. */
async function wake({ ready }: Sandbox, keys: readonly string[]): Promise<void> {
  const pool = await HttpPool.open(Number(new URL(ready().app_url).port), WAKE_CONCURRENCY);
  for (let pass = 1; pass <= WAKE_PASSES; pass += 1) {
    const spent = cpuMs(ready().processes.worker);
    const left = keys.map((key) => requestBytes("GET", "/api/v1/instance", { "x-api-key": key }));
    const line = async () => {
      for (let request = left.pop(); request !== undefined; request = left.pop()) await pool.send(request);
    };
    await Promise.all(Array.from({ length: WAKE_CONCURRENCY }, line));
    const each = ((cpuMs(ready().processes.worker) - spent) * 1_000) / keys.length;
    if (keys.length > 1) process.stdout.write(`calling ${keys.length} objects for the ${pass}. time: ${each.toFixed(0)} µs each\n`);
  }
  pool.close();
}

function address(n: number): string {
  return `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
}

function unique(): number {
  uniqueCalls += 1;
  return uniqueCalls;
}
