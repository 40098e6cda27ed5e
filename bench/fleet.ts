// 2,000 sessions on bridges with a simulated network: all bridges are killed at once, then the worker restarts.
import { freemem } from "node:os";
import { parseArgs } from "node:util";
import { setTimeout as pause } from "node:timers/promises";
import { startSandbox } from "../test/support/sandbox.ts";
import { ratesOf } from "../test/scale/support/rates.ts";
import { SimulatedBridges } from "../test/support/fleet/simulated-bridges.ts";
import {
  countsSince,
  makeConnections,
  opened,
  pauseOwnBridge,
  restartWorker,
  storageCounts,
  timesAfter,
} from "../test/support/fleet/simulated-fleet.ts";

const { values } = parseArgs({
  options: {
    sessions: { type: "string", default: "2000" },
    capacity: { type: "string", default: "150" },
    minutes: { type: "string", default: "12" },
  },
});
/** The demo connection is one of the sessions. */
const wanted = Number(values.sessions);
const capacity = Number(values.capacity);
const bridges = Math.ceil(wanted / capacity);
const limitMs = Number(values.minutes) * 60_000;
/** Deadlines as fractions of the total time: for creating the connections, and for the end of the reconnect storm. */
const [MADE_BY, PLACED_BY] = [0.5, 0.8];
/** Latest time for a session to move after the worker is back. */
const SETTLE_MS = 40_000;
/** Maximum delay of postponed D1 writes. */
const D1_DELAY_MS = 45_000;
/** The run stops if less memory is free. */
const FREE_BYTES = 2_000_000_000;
const CHECK_MS = 5_000;
const END_MS = 30_000;

const began = performance.now();
const seconds = (): string => ((performance.now() - began) / 1_000).toFixed(0);
const print = (text: string): void => void process.stdout.write(`${text}\n`);
const busiest = (times: readonly (readonly [string, number])[]) => ratesOf(times.map(([, at]) => at)).busiest;
/** Time left until this fraction of the total time. */
const leftOf = (part: number): number => Math.max(0, part * limitMs - (performance.now() - began));

const sandbox = await startSandbox(["--no-limits"]);
const resume = pauseOwnBridge(sandbox);
const fleets: SimulatedBridges[] = [];
/** The current step, which is reported if the run hangs. */
let stage = "the bridges start";

async function end(exitCode: number): Promise<never> {
  resume();
  const ended = Promise.allSettled([...fleets.map((fleet) => fleet.kill()), sandbox.dispose()]);
  await Promise.race([ended, pause(END_MS)]);
  // Exits explicitly; the remaining processes end together with this one.
  process.exit(exitCode);
}

let isEnding = false;

/** Reports an incomplete run once, and exits. */
async function notWhole(what: string): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  print(`NOT WHOLE after ${seconds()} s: ${what}`);
  await end(1);
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void notWhole(`stopped while ${stage}`));
setTimeout(() => void notWhole(`no end while ${stage}`), limitMs).unref();
setInterval(() => freemem() < FREE_BYTES && void notWhole(`memory is short while ${stage}`), CHECK_MS).unref();

async function start(name: string, count: number): Promise<SimulatedBridges> {
  const fleet = await SimulatedBridges.start(sandbox, name, count, capacity);
  fleets.push(fleet);
  return fleet;
}

async function measure(): Promise<void> {
  const first = await start("first", bridges);
  // The demo connection moves here once the pool has dropped the sandbox's own bridge.
  if ((await opened(first, 1, leftOf(MADE_BY))) < 1) return notWhole("the demo connection has not come to the bridges");
  stage = "connections are made";
  const started = performance.now();
  const sessions = 1 + (await makeConnections(sandbox, wanted - 1, leftOf(MADE_BY)));
  const up = await opened(first, sessions, leftOf(MADE_BY) + 10_000);
  const tookS = (performance.now() - started) / 1_000;
  print(
    `${up} sessions on ${bridges} bridges of ${capacity}, made in ${tookS.toFixed(0)} s (${((1_000 * tookS) / up).toFixed(0)} s per 1,000)`,
  );
  if (up < wanted) print(`  fewer than the ${wanted} asked for: there was no more time`);
  const each = (count: number) => (count / sessions).toFixed(2);

  stage = "spare bridges start";
  const spare = await start("spare", bridges + 1);
  await pause(D1_DELAY_MS);
  const before = await storageCounts(sandbox);
  stage = "sessions of dead bridges are placed";
  const killedAt = await first.kill();
  const back = await opened(spare, sessions, leftOf(PLACED_BY));
  const placed = await spare.report();
  const { half, last } = timesAfter(killedAt, placed.opened);
  const whole = back < sessions ? `${back} of ${sessions} were up when the time was over; of these half` : "half of the sessions up";
  print(`all bridges killed: ${whole} after ${half.toFixed(1)} s, the last after ${last.toFixed(1)} s`);
  print(`  sessions opened ${(placed.opens / back).toFixed(2)} times each; busiest second ${busiest(placed.opened)} sessions`);
  if (back < sessions) return notWhole(`${back} of ${sessions} sessions placed`);
  await pause(D1_DELAY_MS);
  const cost = countsSince(before, await storageCounts(sandbox));
  const { pool, connections } = cost.rows;
  print(
    `  per session: ${each(cost.d1_statements)} D1 statements, pool rows ${each(pool.written)} written, ${each(pool.read)} read; its own ${each(connections.written)} written, ${each(connections.read)} read`,
  );

  stage = "sessions dial the worker that was started again";
  const withinMs = leftOf(1) - SETTLE_MS - CHECK_MS;
  const restarted = await restartWorker(sandbox, spare, sessions, { withinMs, settleMs: SETTLE_MS });
  const dials = timesAfter(restarted.killedAt, restarted.redialled);
  const after = await storageCounts(sandbox);
  print(
    `worker killed and started again: ${restarted.redialled.length} of ${sessions} dialled again, ${restarted.moved} moved (${((100 * restarted.moved) / sessions).toFixed(1)} %)`,
  );
  print(
    `  half back after ${dials.half.toFixed(1)} s, the last after ${dials.last.toFixed(1)} s; busiest second ${busiest(restarted.redialled)} sessions`,
  );
  print(
    `  per session: ${each(after.d1_statements)} D1 statements, pool rows ${each(after.rows.pool.written)} written, ${each(after.rows.pool.read)} read`,
  );
  if (restarted.back < sessions) return notWhole(`${restarted.back} of ${sessions} sessions back`);
  print(`whole, in ${seconds()} s`);
}

await measure().catch((error: unknown) => notWhole(`${String(error)}, while ${stage}`));
if (!isEnding) await end(0);
