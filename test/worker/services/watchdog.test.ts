// The cron's round: objects whose alarm was lost, removals that were cut short, bridges.
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { Env } from "../../../src/env.ts";
import { createConnection } from "../../../src/services/connections/create.ts";
import { writeConnectionState } from "../../../src/services/connections/directory-state.ts";
import { runWatchdog } from "../../../src/services/watchdog/watch.ts";
import { scriptedConnections } from "../support/gateway.ts";
import { someone } from "../support/people.ts";
import { DAY_MS } from "../../../src/protocol/units.ts";

/** Bindings whose objects note who woke them. */
function watched(broken: ReadonlySet<string> = new Set()) {
  const poked: string[] = [];
  const removed: string[] = [];
  let kept = 0;
  const reach = (name: string, log: string[]) => async () => {
    if (broken.has(name)) throw new Error("away");
    log.push(name);
  };
  const bindings = {
    ...env,
    CONNECTION: { getByName: (name: string) => ({ poke: reach(name, poked), remove: reach(name, removed) }) },
    BRIDGE_POOL: { getByName: () => ({ keepBridges: async () => void (kept += 1) }) },
  } as unknown as Env;
  return { bindings, poked, removed, kept: () => kept };
}

async function connection() {
  const { user } = await someone();
  const made = await createConnection(
    { ...env, ...scriptedConnections(() => ({ ok: true, json: "{}" })) } as Env,
    { ownerId: user.id, name: "A", kind: "session" },
    0,
  );
  if (!made.ok) throw new Error(made.failure.code);
  return made.value;
}

const state = (nextDue: number | null) => ({ status: "connected", phone: null, nextDue, stateKid: 1 }) as const;
// A clock of its own, long after the other tests' connections.
const NOW = Date.now() + 10 * DAY_MS;

it("pokes objects that are overdue by more than a minute, and not again for a while", async () => {
  const [late, busy, idle] = [await connection(), await connection(), await connection()];
  await writeConnectionState(env.DB, late.id, state(NOW - 61_000), NOW);
  await writeConnectionState(env.DB, busy.id, state(NOW - 59_000), NOW);
  await writeConnectionState(env.DB, idle.id, state(null), NOW);
  const { bindings, poked, kept } = watched();
  await runWatchdog(bindings, NOW);
  expect(poked).toEqual([late.uuid]);
  expect(kept()).toBe(1);
  await runWatchdog(bindings, NOW + 500);
  expect(poked).toEqual([late.uuid]);
  // It has not said when it is due next: it is looked at again, and so is the one that was merely busy.
  await runWatchdog(bindings, NOW + 700_000);
  expect(poked.toSorted()).toEqual([late.uuid, late.uuid, busy.uuid].toSorted());
});

it("resumes an interrupted removal", async () => {
  const removed = await connection();
  await env.DB.prepare("UPDATE connection SET removed_at = ? WHERE id = ?")
    .bind(NOW - 61_000, removed.id)
    .run();
  const first = watched(new Set([removed.uuid]));
  await expect(runWatchdog(first.bindings, NOW)).rejects.toThrow("tasks of the watchdog failed");
  expect(first.kept()).toBe(1);
  const second = watched();
  await runWatchdog(second.bindings, NOW);
  expect(second.removed).toEqual([removed.uuid]);
});
