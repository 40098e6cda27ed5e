// A connection's deferred work gives the same result whether its object stays in memory or is evicted before each alarm, without waking the
// object more often than needed.
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { WaitingSends } from "#root/durable-objects/connection/waiting/waiting-sends.ts";
import { allEnded, event, TestConnection } from "../fakes/connection.ts";
import type { FakeSession } from "../fakes/bridge.ts";
import { theirs } from "../fakes/messages.ts";
import { stored } from "../statistics/world.ts";

const START = Date.UTC(2035, 0, 1, 10, 20);
const AWAY_MS = 75 * MINUTE_MS;

beforeEach(() => {
  vi.useFakeTimers({ now: START, toFake: ["Date"] });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await allEnded();
});

type World = { connection: TestConnection; session: FakeSession };
type Scenario = {
  what: string;
  /** Makes the work due once D1 and R2 are away. */
  begin: (world: World) => Promise<unknown>;
  isDone: (world: World) => Promise<boolean>;
  /** Maximum alarms per hour of the outage. */
  alarmsPerHour: number;
};

const refuse = () => {
  throw new Error("away");
};
const never = () => new Promise<never>(() => undefined);

/** D1 and R2 fail, or never respond, in every object of this isolate. */
function takeAway(how: "fails" | "hangs"): void {
  const database = Object.getPrototypeOf(env.DB) as D1Database;
  const statement = { bind: () => statement, run: never, all: never, first: never, raw: never };
  vi.spyOn(database, "prepare").mockImplementation(how === "fails" ? refuse : () => statement as unknown as D1PreparedStatement);
  vi.spyOn(database, "batch").mockImplementation(how === "fails" ? refuse : never);
  vi.spyOn(Object.getPrototypeOf(env.MEDIA) as R2Bucket, "delete").mockImplementation(how === "fails" ? refuse : never);
}

const directoryOf = ({ connection }: World) =>
  env.DB.prepare("SELECT status FROM connection_state WHERE connection_id = ?").bind(connection.record.id).first("status");

const SCENARIOS: Scenario[] = [
  {
    what: "the counts of an hour",
    begin: ({ session }) => session.commit([theirs("A")]),
    isDone: async ({ connection }) => (await stored("hourly_count", `connection:${connection.uuid}`)).length > 0,
    alarmsPerHour: 15,
  },
  {
    what: "the daily look at the record",
    begin: ({ connection }) => connection.sql("UPDATE reread SET at = ?", START - 2 * DAY_MS).then(() => connection.evict()),
    isDone: async ({ connection }) => ((await connection.sql<{ at: number }>("SELECT at FROM reread"))[0]?.at ?? 0) >= START,
    alarmsPerHour: 20,
  },
  {
    what: "a changed status, for lists",
    begin: ({ session }) => session.commit([event.closed("banned")]),
    isDone: async (world) => (await directoryOf(world)) === "failed",
    // One alarm each minute, plus those of statistics and other due work.
    alarmsPerHour: 80,
  },
  {
    what: "files of a removed message",
    begin: ({ connection }) =>
      connection.sql("INSERT INTO removed_files (token) VALUES (?)", crypto.randomUUID()).then(() => connection.evict()),
    isDone: async ({ connection }) => (await connection.sql("SELECT 1 FROM removed_files")).length === 0,
    alarmsPerHour: 80,
  },
];

const MEMORIES = [
  ["kept in memory", true],
  ["evicted before each alarm", false],
] as const;

describe.each(SCENARIOS)("$what", ({ begin, isDone, alarmsPerHour }) => {
  it.each(MEMORIES)("waits while D1 and R2 are away, and is done when they are back: object %s", async (_memory, kept) => {
    const world = await TestConnection.connected();
    const { connection } = world;
    takeAway("fails");
    await begin(world);
    await connection.ask("instance.get", {});
    const alarms = await connection.after(AWAY_MS, { kept });
    expect(alarms).toBeLessThanOrEqual((alarmsPerHour * AWAY_MS) / HOUR_MS);
    vi.restoreAllMocks();
    expect(await isDone(world)).toBe(false);
    await connection.after(15 * MINUTE_MS, { kept });
    await vi.waitFor(async () => expect(await isDone(world)).toBe(true));
  });

  it("has an alarm while D1 or R2 does not answer, and is done although the object dies then", async () => {
    const world = await TestConnection.connected();
    const { connection } = world;
    takeAway("hangs");
    await begin(world);
    await connection.ask("instance.get", {});
    const alarms = await connection.after(AWAY_MS, { kept: true });
    expect(alarms).toBeLessThanOrEqual((alarmsPerHour * AWAY_MS) / HOUR_MS);
    const alarmAt = await runInDurableObject(connection.stub, (_object, { storage }) => storage.getAlarm());
    expect(alarmAt).toBeLessThanOrEqual(Date.now() + 15 * MINUTE_MS);
    await connection.crash();
    vi.restoreAllMocks();
    await connection.after(20 * MINUTE_MS);
    await vi.waitFor(async () => expect(await isDone(world)).toBe(true));
  });
});

it("an alarm that the platform has lost is set again while the object lives", async () => {
  const { connection } = await TestConnection.connected();
  const alarmAt = () => runInDurableObject(connection.stub, (_object, { storage }) => storage.getAlarm());
  const due = (await alarmAt()) ?? 0;
  await runInDurableObject(connection.stub, (_object, { storage }) => storage.deleteAlarm());
  vi.setSystemTime(due + 2 * MINUTE_MS);
  await connection.ask("instance.get", {});
  expect(await alarmAt()).not.toBeNull();
});

it("work that throws is tried again after growing pauses, and at once if the clock was set back", async () => {
  const { connection } = await TestConnection.connected();
  const triedAt: number[] = [];
  const run = vi.spyOn(WaitingSends.prototype, "run").mockImplementation((now) => {
    triedAt.push(now);
    throw new Error("database or disk is full: SQLITE_FULL");
  });
  vi.spyOn(WaitingSends.prototype, "nextDue").mockImplementation((now) => now);
  await connection.ask("instance.get", {});
  await connection.after(4 * MINUTE_MS, { kept: true });
  const pauses = triedAt.slice(1).map((at, before) => (at - (triedAt[before] ?? 0)) / 1000);
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  vi.setSystemTime(Date.now() - DAY_MS);
  await connection.ask("instance.get", {});
  triedAt.length = 0;
  run.mockImplementation((now) => void triedAt.push(now));
  await connection.alarm();
  expect(triedAt).toEqual([Date.now()]);
});
