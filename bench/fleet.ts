// 2,000 sessions on bridges whose network is simulated: all bridges killed at once, then the worker started again.
import { parseArgs } from "node:util";
import { setTimeout as pause } from "node:timers/promises";
import { startSandbox } from "../test/support/sandbox.ts";
import { ratesOf } from "../test/scale/support/rates.ts";
import { SimulatedBridges } from "../test/support/fleet/simulated-bridges.ts";
import {
  allOpen,
  countsSince,
  makeConnections,
  pauseOwnBridge,
  restartWorker,
  storageCounts,
  timesAfter,
} from "../test/support/fleet/simulated-fleet.ts";

const { values } = parseArgs({ options: { sessions: { type: "string", default: "2000" }, capacity: { type: "string", default: "150" } } });
/** The demo connection is one of them. */
const sessions = Number(values.sessions);
const capacity = Number(values.capacity);
const bridges = Math.ceil(sessions / capacity);
/** Nothing is moved later than this after the worker is back. */
const SETTLE_MS = 40_000;
/** Until what is told to D1 late has been told. */
const D1_DELAY_MS = 45_000;
const WITHIN_MS = 1_800_000;

const print = (text: string) => void process.stdout.write(`${text}\n`);
const busiest = (times: readonly (readonly [string, number])[]) => ratesOf(times.map(([, at]) => at)).busiest;
const each = (count: number) => (count / sessions).toFixed(2);

const sandbox = await startSandbox(["--no-limits"]);
const resume = pauseOwnBridge(sandbox);
try {
  const first = await SimulatedBridges.start(sandbox, "first", bridges, capacity);
  // The demo connection moves here when the pool has given the sandbox's own bridge up.
  await allOpen(first, 1, WITHIN_MS);
  const started = performance.now();
  await makeConnections(sandbox, sessions - 1);
  await allOpen(first, sessions, WITHIN_MS);
  print(`${sessions} sessions on ${bridges} bridges of ${capacity}, made in ${((performance.now() - started) / 1_000).toFixed(0)} s`);

  const spare = await SimulatedBridges.start(sandbox, "spare", bridges + 1, capacity);
  await pause(D1_DELAY_MS);
  const before = await storageCounts(sandbox);
  const killedAt = await first.kill();
  await allOpen(spare, sessions, WITHIN_MS);
  const placed = await spare.report();
  const { half, last } = timesAfter(killedAt, placed.opened);
  print(`all bridges killed: half of the sessions up after ${half.toFixed(1)} s, the last after ${last.toFixed(1)} s`);
  print(`  sessions opened ${each(placed.opens)} times each; busiest second ${busiest(placed.opened)} sessions`);
  await pause(D1_DELAY_MS);
  const cost = countsSince(before, await storageCounts(sandbox));
  const { pool, connections } = cost.rows;
  print(
    `  per session: ${each(cost.d1_statements)} D1 statements, pool rows ${each(pool.written)} written, ${each(pool.read)} read; its own ${each(connections.written)} written, ${each(connections.read)} read`,
  );

  const restarted = await restartWorker(sandbox, spare, sessions, SETTLE_MS);
  const dials = timesAfter(restarted.killedAt, restarted.redialled);
  const after = await storageCounts(sandbox);
  print(
    `worker killed and started again: ${restarted.redialled.length} dialled again, ${restarted.moved} moved (${((100 * restarted.moved) / sessions).toFixed(1)} %)`,
  );
  print(
    `  half back after ${dials.half.toFixed(1)} s, the last after ${dials.last.toFixed(1)} s; busiest second ${busiest(restarted.redialled)} sessions`,
  );
  print(
    `  per session: ${each(after.d1_statements)} D1 statements, pool rows ${each(after.rows.pool.written)} written, ${each(after.rows.pool.read)} read`,
  );
  await spare.kill();
} finally {
  resume();
  await sandbox.dispose();
}
process.exit(0);
