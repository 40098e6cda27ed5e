// The gateway's webhook deliveries, compared with a bare worker in the same runtime that only POSTs the same bytes to the same receiver
// with the same concurrency. Events are reported over the session socket; everything behind it is the product.
import { setTimeout as pause } from "node:timers/promises";
import { ask } from "../test/support/clients.ts";
import { type FedConnection, FedBridge } from "../test/support/bridge/fed-bridge.ts";
import { startLoneGateway } from "../test/support/bridge/lone-gateway.ts";
import { startBarePoster } from "./support/bare-poster.ts";
import { commitCost } from "./support/commit-cost.ts";
import { workerdCpuUs } from "./support/cpu-time.ts";
import { load, type Load, median, percentile, runInTurn } from "./support/figures.ts";
import { endReport, figure, isShort, ratio } from "./support/report.ts";
import { startWebhookReceiver } from "./support/webhook-receiver.ts";

const ROUNDS = isShort ? 11 : 9;
const DELIVERIES = isShort ? 1_500 : 3_000;
const BARE_PER_DELIVERY = 3;
const BATCH = 50;
const OBJECTS = 50;
/** A receiver has four slots (docs/internals/delivery.md, "Delivery queues"). */
const SLOTS = 4;
/** Maximum endpoints per account, and concurrent attempts per object (`OBJECT_SLOTS` in attempt-slots.ts). */
const ENDPOINTS = 20;
const OBJECT_SLOTS = 24;
const RESULT_WRITE_MS = 100;
const EVENTS_PER_SECOND = 200;
const CALLS_PER_SECOND = 20;
const STEADY_MS = 8_000;
const PENDING = 100_000;
const HANGING_ENDPOINTS = 5;
/** After this time, all requests of a killed worker have arrived, and the next worker is not running yet. */
const IN_FLIGHT_DRAIN_MS = 100;

const print = (line: string) => process.stdout.write(`${line}\n`);
const ms = (value: number) => `${value.toFixed(2)} ms`;
const p99 = (values: readonly number[]) => percentile(values, 99);

const gateway = await startLoneGateway();
const [receiver, silent, poster] = await Promise.all([startWebhookReceiver(), startWebhookReceiver(), startBarePoster()]);
const bridge = await FedBridge.dial(gateway);
let serial = 0;
const texts = (count: number) => Array.from({ length: count }, () => `m${(serial += 1)}`);

async function subscribed(name: string): Promise<FedConnection> {
  const connection = await bridge.connection(name);
  await connection.call("PUT", "/webhook", { url: receiver.url, events: ["message.received"] });
  return connection;
}

/**
 * Runs `ours` and `bare` in turn. The bare worker is several times as fast and makes several times as many requests per round, so that a
 * disturbance lasts for a similar share of both rounds. The ratio of rates is the median of the rounds' ratios. CPU time is summed over
 * all rounds, because the kernel counts it in hundredths of a second.
 */
async function rates(key: string, name: string, ours: () => Promise<void>, bare: (total: number) => Promise<void>): Promise<void> {
  const side = (total: number, run: () => Promise<void>, pid: number) => {
    const spent = { cpuUs: 0, deliveries: 0 };
    const round = async (): Promise<Load> => {
      const all = receiver.more(total);
      const [startedAt, cpuUs] = [performance.now(), workerdCpuUs(pid)];
      await Promise.all([run(), all]);
      const rate = (total / (performance.now() - startedAt)) * 1_000;
      // Waits for the results that are written slightly later.
      await pause(RESULT_WRITE_MS);
      spent.cpuUs += workerdCpuUs(pid) - cpuUs;
      spent.deliveries += total;
      return { rate, p50: Number.NaN, p99: Number.NaN };
    };
    return { round, cpuUs: () => spent.cpuUs / spent.deliveries };
  };
  const bareTotal = DELIVERIES * BARE_PER_DELIVERY;
  const warmUp = side(DELIVERIES, ours, gateway.pid());
  await warmUp.round();
  const [gatewaySide, bareSide] = [side(DELIVERIES, ours, gateway.pid()), side(bareTotal, () => bare(bareTotal), process.pid)];
  const result = await runInTurn(ROUNDS, gatewaySide.round, bareSide.round);
  const [cpuUs, bareUs] = [gatewaySide.cpuUs(), bareSide.cpuUs()];
  const text = (rate: number, us: number) => `${rate.toFixed(0)}/s, ${us.toFixed(0)} µs of CPU each`;
  print(`${name}\n  gateway ${text(result.ours.rate, cpuUs)}   bare ${text(result.baseline.rate, bareUs)}`);
  print(`  ratio   rate ${result.rate.toFixed(2)}  CPU ${(bareUs / cpuUs).toFixed(2)}`);
  ratio(`rate_${key}`, result.rate);
  ratio(`cpu_${key}`, bareUs / cpuUs);
  figure(`cpu_us_${key}`, cpuUs);
  figure(`bare_cpu_us_${key}`, bareUs);
}

/** Calls `act` `perSecond` times a second without waiting for earlier calls; returns their results. */
async function steady(perSecond: number, act: () => Promise<number>): Promise<number[]> {
  const startedAt = performance.now();
  const values: Promise<number>[] = [];
  for (let n = 0; n < (perSecond * STEADY_MS) / 1_000; n += 1) {
    await pause(Math.max(0, (n / perSecond) * 1_000 - (performance.now() - startedAt)));
    values.push(act());
  }
  return Promise.all(values);
}

type Figures = { p50: number; p99: number };
const figuresOf = (values: readonly number[]): Figures => ({ p50: median(values), p99: p99(values) });
const middleOf = (rounds: readonly Figures[]): Figures => ({
  p50: median(rounds.map(({ p50 }) => p50)),
  p99: median(rounds.map((r) => r.p99)),
});

try {
  print("the sandbox's worker with --no-limits; loopback only; ratios within this run are what counts");
  const commitMs = commitCost();
  print(`one durable commit of this disk: ${ms(commitMs)} (the local runtime waits for each; the bare worker makes none)`);
  figure("commit_ms", commitMs);
  const one = await subscribed("One");
  const many = await Promise.all(Array.from({ length: OBJECTS }, (_, n) => subscribed(`Many ${n}`)));

  const body = await (async () => {
    const first = receiver.more(1);
    await one.received(texts(1));
    await first;
    return receiver.lastBody();
  })();
  const post = (concurrency: number) => (total: number) => poster.post({ url: receiver.url, total, concurrency, body });
  const report = (connections: readonly FedConnection[], batch: number, inFlight: number, copies: number) => async () => {
    const batches = DELIVERIES / copies / batch;
    await load(batches, inFlight, (n) => connections[n % connections.length]?.received(texts(batch)) ?? Promise.resolve());
  };
  await rates("one", "signed deliveries/s, 1 object, 1 receiver (aim: rate ratio >= 0.5)", report([one], BATCH, 2, 1), post(SLOTS));
  const spread = report(many, BATCH / 5, OBJECTS, 1);
  await rates("many", `signed deliveries/s, ${OBJECTS} objects (aim: rate ratio >= 0.3)`, spread, post(SLOTS * OBJECTS));

  if (isShort) await end();

  /** Creates an account endpoint for one connection; returns its id. */
  const endpoint = async (url: string, { uuid }: FedConnection) => {
    const settings = { url, secret: "bench", events: ["message.received"], instance_id: uuid, timeout_ms: 30_000, retry_count: 5 };
    return (await bridge.call("POST", "/webhooks", settings)).body.data.id as string;
  };
  const wide = await bridge.connection("Wide");
  const endpoints: string[] = [];
  for (let n = 0; n < ENDPOINTS; n += 1) endpoints.push(await endpoint(receiver.url, wide));
  await rates(
    "wide",
    `signed deliveries/s, 1 object, ${ENDPOINTS} receivers of each event`,
    report([wide], BATCH / 10, 2, ENDPOINTS),
    post(OBJECT_SLOTS),
  );
  for (const id of endpoints) await bridge.call("DELETE", `/webhooks/${id}`);

  const through = (connection: FedConnection) => async () => {
    const [text = ""] = texts(1);
    const [sentAt, arrived] = [performance.now(), receiver.arrival(text)];
    await connection.received([text]);
    return (await arrived) - sentAt;
  };
  const throughPoster = async () => {
    const [text = ""] = texts(1);
    const [sentAt, arrived] = [performance.now(), receiver.arrival(text)];
    await poster.post({ url: receiver.url, total: 1, concurrency: 1, body: body.replace(/"text":"[^"]*"/, `"text":"${text}"`) });
    return (await arrived) - sentAt;
  };
  const rounds = { bare: [] as Figures[], ours: [] as Figures[] };
  for (let round = 0; round < 3; round += 1) {
    rounds.bare.push(figuresOf(await steady(EVENTS_PER_SECOND, throughPoster)));
    rounds.ours.push(figuresOf(await steady(EVENTS_PER_SECOND, through(one))));
  }
  const [bare, ours] = [middleOf(rounds.bare), middleOf(rounds.ours)];
  print(`event → receipt at ${EVENTS_PER_SECOND}/s, 1 object, medians of three rounds (aim: p99 < 50 ms)`);
  print(`  gateway p50 ${ms(ours.p50)}  p99 ${ms(ours.p99)}   bare p50 ${ms(bare.p50)}  p99 ${ms(bare.p99)}`);
  print(`  ratio   p50 ${(ours.p50 / bare.p50).toFixed(2)}  p99 ${(ours.p99 / bare.p99).toFixed(2)}`);
  print(
    `  p99 of each round   gateway ${rounds.ours.map(({ p99 }) => ms(p99)).join(", ")}   bare ${rounds.bare.map(({ p99 }) => ms(p99)).join(", ")}`,
  );

  const call = async () => {
    const sentAt = performance.now();
    const reply = await ask(`${gateway.url}/api/v1/messages/none-${(serial += 1)}`, { headers: { "x-api-key": one.apiKey } });
    if (reply.status !== 404) throw new Error(`the API answered ${reply.status}`);
    return performance.now() - sentAt;
  };
  const measureBoth = async () => {
    const [events, calls] = await Promise.all([steady(CALLS_PER_SECOND, through(one)), steady(CALLS_PER_SECOND, call)]);
    return { event: p99(events), call: p99(calls) };
  };
  silent.answers(false);
  const hanging = await endpoint(silent.url, one);
  const isolation: { alone: { event: number; call: number }; beside: { event: number; call: number } }[] = [];
  for (let round = 0; round < 3; round += 1) {
    await bridge.call("PATCH", `/webhooks/${hanging}`, { is_active: false });
    const alone = await measureBoth();
    await bridge.call("PATCH", `/webhooks/${hanging}`, { is_active: true });
    isolation.push({ alone, beside: await measureBoth() });
  }
  const middle = (value: (round: (typeof isolation)[number]) => number) => median(isolation.map(value));
  print("one receiver hangs for ever; p99 of everything else beside it, and alone (aim: ratio < 2)");
  for (const [what, of] of [
    ["event → receipt at the other", "event"],
    ["API call", "call"],
  ] as const) {
    const [beside, alone] = [middle((round) => round.beside[of]), middle((round) => round.alone[of])];
    print(`  ${what.padEnd(29)} beside ${ms(beside)}  alone ${ms(alone)}   ratio ${middle((r) => r.beside[of] / r.alone[of]).toFixed(2)}`);
  }

  for (let n = 1; n < HANGING_ENDPOINTS; n += 1) await endpoint(silent.url, one);
  await load(PENDING / HANGING_ENDPOINTS / BATCH, 2, () => one.received(texts(BATCH)));
  const restarted = gateway.restart();
  silent.answers(true);
  await pause(IN_FLIGHT_DRAIN_MS);
  const overdue = silent.more(1).then(() => performance.now());
  await restarted;
  const restartedAt = performance.now();
  const [answered, delivered] = await Promise.all([
    call().then(() => performance.now() - restartedAt),
    overdue.then((at) => Math.max(0, at - restartedAt)),
  ]);
  print(`${PENDING.toLocaleString("en")} pending deliveries, kill -9, from listening again (aim: < 5 s)`);
  print(`  first API answer after ${answered.toFixed(0)} ms, first overdue delivery after ${delivered.toFixed(0)} ms`);
  await end();
} finally {
  await dispose();
}

async function end(): Promise<never> {
  endReport("webhooks");
  await dispose();
  process.exit(0);
}

async function dispose(): Promise<void> {
  bridge.close();
  await Promise.all([gateway.dispose(), receiver.stop(), silent.stop(), poster.dispose()]);
}
