// Requests per second of the API beside a bare worker: the same runtime hosted the same way, the same client, the same run.
import { customer, person } from "../test/support/clients.ts";
import { chatId } from "../test/support/arrivals.ts";
import { startSandbox, type Sandbox } from "../test/support/sandbox.ts";
import { startBareWorker } from "./support/bare-worker.ts";
import { paired, print } from "./support/figures.ts";
import { fillStore } from "./support/filled-store.ts";
import { processorMs } from "./support/processor-time.ts";
import { loadFor, type TimedLoad } from "./support/timed-load.ts";
import { type Answer, HttpPool, requestBytes } from "./support/http-pool.ts";

const ROUNDS = 5;
const ROUND_MS = 700;
const WARM_UP_MS = 1_500;
const CONCURRENCIES = [1, 16, 64];
const GROWN = { concurrency: 16, chats: [10, 100_000], connections: [1, 1_000] } as const;
const MADE_AT_ONCE = 8;
const MOST_AT_ONCE = 64;
const WAKING_PASSES = 3;

type Case = { name: string; status: number; request: () => Buffer };

const sandbox = await startSandbox(["--no-limits"]);
process.stdout.write("sandbox started with --no-limits; loopback only; ratios within this run are what counts\n");
const bare = await startBareWorker();
/** Calls that were made to differ from all others. */
let made = 0;
const generator = { busyMs: 0, measuredMs: 0 };
try {
  await prepare(sandbox);
  for (const each of casesOf(sandbox)) {
    for (const concurrency of CONCURRENCIES) await beside(sandbox, each, concurrency, each.name);
  }
  const byChats: Map<string, number>[] = [];
  for (const chats of GROWN.chats) {
    await growTo(sandbox, chats);
    const ratios = new Map<string, number>();
    for (const each of casesOf(sandbox, chats)) {
      if (each.status !== 200) continue;
      ratios.set(each.name, await beside(sandbox, each, GROWN.concurrency, `${each.name}, ${chats} chats`));
    }
    byChats.push(ratios);
  }
  for (const [name, few] of byChats[0] ?? []) tell(`${name}, ${GROWN.chats.join(" → ")} chats`, few, byChats[1]?.get(name));

  const keys = [sandbox.ready().demo.connection.api_key];
  const byConnections: number[] = [];
  for (const connections of GROWN.connections) {
    await connectTo(sandbox, keys, connections);
    const request = () => requestBytes("GET", "/api/v1/instance", { "x-api-key": keys[unique() % keys.length] ?? "" });
    const name = `cached read, ${connections} connections in turn`;
    await wake(sandbox, keys);
    byConnections.push(await beside(sandbox, { name, status: 200, request }, GROWN.concurrency, name));
  }
  tell(`cached read, ${GROWN.connections.join(" → ")} connections`, byConnections[0], byConnections[1]);
  process.stdout.write(`the load generator used ${((100 * generator.busyMs) / generator.measuredMs).toFixed(0)} % of one core\n`);
} finally {
  await bare.stop();
  await sandbox.dispose();
}
process.exit(0);

/** The n-th call of each kind; `chats` lie in the store besides Eco's. */
function casesOf({ ready }: Sandbox, chats = 0): Case[] {
  const { demo } = ready();
  const good = { "x-api-key": demo.connection.api_key };
  const bad = { "x-api-key": `${demo.connection.api_key.slice(0, -1)}${demo.connection.api_key.endsWith("0") ? "1" : "0"}` };
  const eco = `${demo.contact?.phone}@c.us`;
  const chat = (n: number) => (chats === 0 ? eco : chatId((n * 7_919) % chats));
  const message = JSON.stringify({ to: demo.contact?.phone, text: "bench" });
  const json = { ...good, "content-type": "application/json" };
  return [
    { name: "cached read (aim >= 0.35)", status: 200, request: () => requestBytes("GET", "/api/v1/instance", good) },
    {
      name: "uncached read",
      status: 200,
      // No message is older than the network: the question differs, so no answer is kept, and the page is always the same.
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

/** Both in turn; the bare worker answers as many bytes. Prints how they compare and returns the ratio of their processor time. */
async function beside({ ready }: Sandbox, { status, request }: Case, concurrency: number, name: string): Promise<number> {
  const gateway = await HttpPool.open(Number(new URL(ready().app_url).port), concurrency);
  const baseline = await HttpPool.open(bare.port, concurrency);
  const { bytes } = await gateway.send(request());
  const plain = requestBytes("GET", `/${bytes}`, { "x-api-key": "bare" });
  const expecting = async (expected: number, answer: Promise<Answer>) => {
    const seen = (await answer).status;
    if (seen !== expected) throw new Error(`${name} answered ${seen}`);
  };
  const [spentByUs, spentByIt] = [spending(ready().processes.worker), spending(bare.pid)];
  const ours = (ms: number) => spentByUs.during(loadFor(ms, concurrency, () => expecting(status, gateway.send(request()))));
  const theirs = (ms: number) => spentByIt.during(loadFor(ms, concurrency, () => expecting(200, baseline.send(plain))));
  // What is measured must not be the compiler.
  await ours(WARM_UP_MS);
  await theirs(WARM_UP_MS);
  const result = await paired(
    ROUNDS,
    () => ours(ROUND_MS),
    () => theirs(ROUND_MS),
  );
  print(`${name}, concurrency ${concurrency}`, result);
  const [ourCost, itsCost] = [spentByUs.microsecondsPerCall(), spentByIt.microsecondsPerCall()];
  process.stdout.write(
    `  processor time a call: gateway ${ourCost.toFixed(0)} µs, baseline ${itsCost.toFixed(0)} µs, ratio ${(itsCost / ourCost).toFixed(2)}\n`,
  );
  gateway.close();
  baseline.close();
  return itsCost / ourCost;
}

/** Adds up what a process and its children spend, and what this one does: were that a whole core, it would measure itself. */
function spending(pid: number) {
  let [ms, calls] = [0, 0];
  return {
    async during(running: Promise<TimedLoad>): Promise<TimedLoad> {
      const [before, ownBefore, startedAt] = [processorMs(pid), process.cpuUsage(), performance.now()];
      const result = await running;
      ms += processorMs(pid) - before;
      calls += result.calls;
      const own = process.cpuUsage(ownBefore);
      generator.busyMs += (own.user + own.system) / 1_000;
      generator.measuredMs += performance.now() - startedAt;
      return result;
    },
    microsecondsPerCall: () => (1_000 * ms) / calls,
  };
}

function tell(what: string, few: number | undefined, many: number | undefined): void {
  process.stdout.write(`${what}: costs ${((few ?? Number.NaN) / (many ?? Number.NaN)).toFixed(2)} times as much\n`);
}

/** A message to read, an address that is blocked, a contact that does not talk back. */
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

/** Makes connections, each with a key, until there are so many keys. */
async function connectTo({ ready }: Sandbox, keys: string[], connections: number): Promise<void> {
  const owner = await person(ready());
  const make = async (n: number) => {
    const { body } = await owner.call("POST", "/connections", { name: `Bench ${n}` });
    return (await owner.call("POST", `/connections/${body.data.id}/keys`, { name: "bench" })).body.data.key as string;
  };
  while (keys.length < connections) {
    const some = Array.from({ length: Math.min(MADE_AT_ONCE, connections - keys.length) }, (_, n) => make(keys.length + n));
    keys.push(...(await Promise.all(some)));
  }
}

/** Objects that have been idle for ten seconds sleep: what waking them costs is told apart from what a call costs. */
async function wake({ ready }: Sandbox, keys: readonly string[]): Promise<void> {
  const pool = await HttpPool.open(Number(new URL(ready().app_url).port), MOST_AT_ONCE);
  for (let pass = 1; pass <= WAKING_PASSES; pass += 1) {
    const spent = processorMs(ready().processes.worker);
    const left = keys.map((key) => requestBytes("GET", "/api/v1/instance", { "x-api-key": key }));
    const line = async () => {
      for (let request = left.pop(); request !== undefined; request = left.pop()) await pool.send(request);
    };
    await Promise.all(Array.from({ length: MOST_AT_ONCE }, line));
    const each = ((processorMs(ready().processes.worker) - spent) * 1_000) / keys.length;
    if (keys.length > 1) process.stdout.write(`calling ${keys.length} objects for the ${pass}. time: ${each.toFixed(0)} µs each\n`);
  }
  pool.close();
}

function address(n: number): string {
  return `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
}

function unique(): number {
  made += 1;
  return made;
}
