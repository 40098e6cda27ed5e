// Storms with many bridges: the bridge's own code on a simulated network, so sixty sessions cost little.
import { describe, expect, it } from "vitest";
import { customer } from "../../support/clients.ts";
import { SimulatedBridges } from "../../support/fleet/simulated-bridges.ts";
import {
  allOpen,
  countsSince,
  makeConnections,
  pauseOwnBridge,
  restartWorker,
  storageCounts,
  timesAfter,
} from "../../support/fleet/simulated-fleet.ts";
import { promised, type Sandbox, startSandbox } from "../../support/sandbox.ts";
import { expectAtMost } from "../../support/promised-times.ts";
import { useStory } from "../../support/runner/story.ts";

const SESSIONS = 60;
const CAPACITY = 20;
/** A session whose bridge has not redialled by then would have been moved. */
const SETTLE_MS = 30_000;

let sandbox: Sandbox;
let resume: () => void;
let first: SimulatedBridges;
let spare: SimulatedBridges;

const step = useStory(open, close);

async function open(): Promise<void> {
  resume = () => undefined;
  sandbox = await startSandbox(["--no-limits"]);
  resume = pauseOwnBridge(sandbox);
  first = await SimulatedBridges.start(sandbox, "first", SESSIONS / CAPACITY, CAPACITY);
  // The demo connection, once the pool has dropped the sandbox's own bridge.
  await allOpen(first, 1, 300_000);
  await makeConnections(sandbox, SESSIONS - 1);
  await allOpen(first, SESSIONS, 300_000);
  spare = await SimulatedBridges.start(sandbox, "spare", 1 + SESSIONS / CAPACITY, CAPACITY);
}

async function close(): Promise<void> {
  await Promise.all([first?.kill(), spare?.kill()]);
  resume();
  await sandbox.dispose();
}

describe("sixty sessions", () => {
  it(
    "open on other bridges, once each, after all their bridges are killed",
    step(async () => {
      const before = await storageCounts(sandbox);
      const killedAt = await first.kill();
      await allOpen(spare, SESSIONS, 300_000);
      const { opened, opens } = await spare.report();
      const { last } = timesAfter(killedAt, opened);
      const { rows } = countsSince(before, await storageCounts(sandbox));
      console.info(`60 sessions: the last up ${last.toFixed(1)} s after the kill; ${rows.pool.written} pool rows written`);
      expectAtMost("sixty sessions on other bridges", last * 1_000, promised(30_000, sandbox));
      expect(opens).toBe(SESSIONS);
    }),
  );

  it(
    "open again on their own bridges once a lost worker is back",
    step(async () => {
      const { moved, redialled } = await restartWorker(sandbox, spare, SESSIONS, { settleMs: SETTLE_MS });
      expect(moved).toBe(0);
      expect(redialled).toHaveLength(SESSIONS);
      expect((await customer(sandbox.ready()).get("/instance")).body.data).toMatchObject({ status: "connected" });
    }),
  );
});
