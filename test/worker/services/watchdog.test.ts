// The cron's round: objects with lost alarms, interrupted removals, bridges.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import type { Env } from "#root/src/env.ts";
import { createConnection } from "#root/src/services/connections/create.ts";
import { runWatchdog } from "#root/src/services/watchdog/watch.ts";
import { setRole } from "#root/src/services/users/user-table.ts";
import { holder } from "../support/accounts.ts";
import { scriptedConnections } from "../support/gateway.ts";
import { someone } from "../support/people.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";

/** Bindings whose objects record who woke them. */
function watched(broken: ReadonlySet<string> = new Set()) {
  const [poked, removed, configured, pushed, guards]: [string[], string[], string[], string[], string[]] = [[], [], [], [], []];
  let kept = 0;
  const reach = (name: string, log: string[]) => async () => {
    if (broken.has(name)) throw new Error("away");
    log.push(name);
  };
  const bindings = {
    ...env,
    CONNECTION: {
      getByName: (name: string) => ({
        poke: reach(name, poked),
        remove: reach(name, removed),
        configure: reach(name, configured),
        accountEndpointsChanged: reach(name, pushed),
      }),
    },
    ACCOUNT_GUARD: { getByName: (name: string) => ({ poke: reach(name, guards) }) },
    BRIDGE_POOL: { getByName: () => ({ keepBridges: async () => void (kept += 1) }) },
  } as unknown as Env;
  return { bindings, poked, removed, configured, pushed, guards, kept: () => kept };
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

const NOW = Date.now() + DAY_MS;
const START_OF_DAY = Math.ceil(NOW / DAY_MS) * DAY_MS;
/** The last run of the cron event on this day. */
const lastRunOf = (day: number) => START_OF_DAY + (day + 1) * DAY_MS - 2 * MINUTE_MS;

beforeEach(async () => {
  await env.DB.batch(
    [
      "DELETE FROM directory_round",
      "DELETE FROM endpoint_set",
      "UPDATE connection SET removed_at = NULL",
      "UPDATE user SET status = 'active' WHERE status = 'removed'",
    ].map((statement) => env.DB.prepare(statement)),
  );
});

describe("the watchdog, in the course of a day,", () => {
  const own = (uuids: readonly string[], poked: readonly string[]) => poked.filter((uuid) => uuids.includes(uuid));

  it("wakes every connection once, some in each run, whatever its alarm says", async () => {
    const made = [await connection(), await connection(), await connection()].map(({ uuid }) => uuid);
    const { bindings, poked, kept } = watched();
    const perRun: number[] = [];
    for (let at = START_OF_DAY; at < START_OF_DAY + DAY_MS; at += HOUR_MS / 2) {
      const before = poked.length;
      await runWatchdog(bindings, at, "*/2 * * * *");
      perRun.push(poked.length - before);
    }
    expect(own(made, poked).toSorted()).toEqual(made.toSorted());
    expect(Math.max(...perRun)).toBeLessThanOrEqual(Math.ceil(poked.length / 40));
    expect(kept()).toBe(0);
    await runWatchdog(bindings, lastRunOf(1), "*/2 * * * *");
    expect(own(made, poked)).toHaveLength(6);
  });

  it("reaches the newest of many connections by the last run", async () => {
    await connection();
    await env.DB.prepare("UPDATE sqlite_sequence SET seq = seq + 4000 WHERE name = 'connection'").run();
    const { uuid } = await connection();
    const { bindings, poked } = watched();
    await runWatchdog(bindings, lastRunOf(0), "*/2 * * * *");
    expect(own([uuid], poked)).toEqual([uuid]);
  });

  it("wakes connections with a bridge only one day in seven, and otherwise leaves them to their pool", async () => {
    const [placed, free] = [await connection(), await connection()];
    await env.DB.prepare(
      "INSERT INTO connection_state (connection_id, status, bridge_id, noted_at) VALUES (?, 'connected', 'b1', 0), (?, 'disconnected', NULL, 0)",
    )
      .bind(placed.id, free.id)
      .run();
    const { bindings, poked } = watched();
    const woken: string[][] = [];
    for (let day = 0; day < 7; day += 1) {
      const before = poked.length;
      await runWatchdog(bindings, lastRunOf(day), "*/2 * * * *");
      woken.push(own([placed.uuid, free.uuid], poked.slice(before)));
    }
    expect(woken.filter((each) => each.includes(free.uuid))).toHaveLength(7);
    expect(woken.filter((each) => each.includes(placed.uuid))).toHaveLength(1);
  });

  it("goes on after one that cannot be woken, and not with one that is being removed", async () => {
    const [failing, whole, removed] = [await connection(), await connection(), await connection()].map(({ uuid }) => uuid);
    await env.DB.prepare("UPDATE connection SET removed_at = ? WHERE uuid = ?").bind(NOW, removed).run();
    const { bindings, poked } = watched(new Set([failing ?? ""]));
    await runWatchdog(bindings, lastRunOf(0), "*/2 * * * *");
    expect(own([failing ?? "", whole ?? "", removed ?? ""], poked)).toEqual([whole]);
  });
});

it("the watchdog runs the tasks of one cron event, of which one fails, and no others", async () => {
  const { bindings, kept, poked } = watched();
  const broken = {
    ...bindings,
    BRIDGE_POOL: { getByName: () => ({ keepBridges: () => Promise.reject(new Error("away")) }) },
  } as unknown as Env;
  await expect(runWatchdog(broken, NOW, "* * * * *")).rejects.toThrow("tasks of the watchdog failed");
  await runWatchdog(broken, NOW, "1-59/2 * * * *");
  await runWatchdog(bindings, NOW, "* * * * *");
  expect([kept(), poked]).toEqual([1, []]);
});

it("administrators see when each cron event last ran and succeeded, and others do not", async () => {
  const { bindings } = watched();
  const broken = { ...bindings, BRIDGE_POOL: { getByName: () => ({ keepBridges: () => Promise.reject(new Error("away")) }) } };
  const [succeeded, failed] = [Date.now() + DAY_MS, Date.now() + DAY_MS + 60_000];
  await runWatchdog(bindings, succeeded, "* * * * *");
  await runWatchdog(bindings, succeeded, "1-59/2 * * * *");
  await expect(runWatchdog(broken as unknown as Env, failed, "* * * * *")).rejects.toThrow("tasks of the watchdog failed");
  const administrator = await holder();
  expect((await administrator.call("GET", "/admin/self-check")).status).toBe(403);
  await setRole(env.DB, administrator.who.user.id, "admin");
  const { status, body } = await administrator.call("GET", "/admin/self-check");
  expect(status).toBe(200);
  const { crons } = body.data as { crons: { cron: string }[] };
  expect(crons.map(({ cron }) => cron).toSorted()).toEqual(["* * * * *", "*/2 * * * *", "*/3 * * * *", "1-59/2 * * * *"]);
  const iso = (at: number) => new Date(at).toISOString();
  expect(crons.find(({ cron }) => cron === "* * * * *")).toMatchObject({ last_run_at: iso(failed), last_success_at: iso(succeeded) });
  expect(crons.find(({ cron }) => cron === "1-59/2 * * * *")).toMatchObject({
    last_run_at: iso(succeeded),
    last_success_at: iso(succeeded),
  });
});

it("the watchdog resumes an interrupted removal", async () => {
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

describe("objects that fail, and go on failing,", () => {
  /** More failing objects than one round handles. */
  const FAILING = 25;
  const connections = async (number: number) => {
    const made: Awaited<ReturnType<typeof connection>>[] = [];
    for (let n = 0; n < number; n += 1) made.push(await connection());
    return made;
  };
  /** Objects reached in the second of two rounds, a minute apart. */
  const afterTwoRounds = async (failing: readonly string[]) => {
    const world = watched(new Set(failing));
    for (const now of [NOW, NOW + 61_000])
      await expect(runWatchdog(world.bindings, now)).rejects.toMatchObject({ errors: [new Error("away")] });
    return world;
  };

  it("keep no other removed connection waiting", async () => {
    const [failing, whole] = [await connections(FAILING), await connections(2)];
    for (const [n, { id }] of [...failing, ...whole].entries())
      await env.DB.prepare("UPDATE connection SET removed_at = ?1, updated_at = ?1 WHERE id = ?2").bind(n, id).run();
    const { removed } = await afterTwoRounds(failing.map(({ uuid }) => uuid));
    expect(removed).toEqual(expect.arrayContaining(whole.map(({ uuid }) => uuid)));
  });

  it("keep no other account's removal waiting", async () => {
    const users: string[] = [];
    for (let n = 0; n <= FAILING; n += 1) users.push((await someone()).user.id);
    for (const [n, id] of users.entries())
      await env.DB.prepare("UPDATE user SET status = 'removed', updated_at = ? WHERE id = ?").bind(n, id).run();
    const { guards } = await afterTwoRounds(users.slice(0, FAILING));
    expect(guards).toContain(users[FAILING]);
  });

  it("keep no other account's webhooks waiting", async () => {
    const made = await connections(FAILING + 1);
    for (const [n, { ownerId }] of made.entries())
      await env.DB.prepare("INSERT INTO endpoint_set (user_id, revision, told_revision, changed_at) VALUES (?, 1, 0, ?)")
        .bind(ownerId, n)
        .run();
    const { pushed } = await afterTwoRounds(made.slice(0, FAILING).map(({ uuid }) => uuid));
    expect(pushed).toContain(made[FAILING]?.uuid);
  });
});
