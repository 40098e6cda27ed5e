// Hourly counts are pushed to D1 once the hour has ended; repeated pushes change nothing.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Counters } from "#root/durable-objects/connection/statistics/counters.ts";
import { StoredTimes } from "#root/durable-objects/shared/stored-times.ts";
import { StatisticsPush } from "#root/durable-objects/connection/statistics/push.ts";
import { CommitProgress } from "#root/durable-objects/connection/session/commit-progress.ts";
import { connectionChange } from "@gateway/domain/statistics/counts.ts";
import { gridOf } from "@gateway/domain/spread.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { DAYS_RETENTION_MS, HOURS_RETENTION_MS, purgeCounts, pushCounts } from "#root/src/services/statistics/push.ts";
import { connectionStub } from "#root/src/services/connections/stub.ts";
import { allEnded, TestConnection } from "../fakes/connection.ts";
import { theirs } from "../fakes/messages.ts";
import { stored, total } from "./world.ts";

const HOUR = Date.UTC(2035, 0, 1, 10);
const START = HOUR + 20 * MINUTE_MS;
const DAY = HOUR - 10 * HOUR_MS;

beforeEach(async () => {
  vi.useFakeTimers({ now: START, toFake: ["Date"] });
  await env.DB.batch(["hourly_count", "daily_count"].map((table) => env.DB.prepare(`DELETE FROM ${table}`)));
});
afterEach(allEnded);

const received = (count: number) => ({ "received.text": count });
const scopeOf = ({ uuid }: TestConnection) => `connection:${uuid}`;
const stateOf = ({ record }: TestConnection) =>
  env.DB.prepare("SELECT connected, waiting_deliveries AS waiting FROM connection_state WHERE connection_id = ?").bind(record.id).first();

describe("an object", () => {
  it("pushes an hour within ten minutes after its end, and once", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([theirs("A")]);
    await connection.after(40 * MINUTE_MS);
    expect(await stored("hourly_count", scopeOf(connection))).toEqual([]);
    await connection.after(10 * MINUTE_MS);
    await vi.waitFor(async () => expect(await stored("hourly_count", scopeOf(connection))).toHaveLength(1));
    const counts = { ...received(1), ...connectionChange(true, START) };
    expect(await stored("hourly_count", scopeOf(connection))).toMatchObject([{ at: HOUR, counts }]);
    for (const scope of ["user:owner", "all"]) expect(await stored("hourly_count", scope)).toMatchObject([{ at: HOUR, counts }]);
    for (const scope of [scopeOf(connection), "user:owner", "all"])
      expect(await stored("daily_count", scope)).toMatchObject([{ at: DAY, counts }]);
    expect(await stateOf(connection)).toEqual({ connected: 1, waiting: 0 });
    const [row] = await connection.sql<{ pushed_at: number; unpushed: number }>("SELECT pushed_at, unpushed FROM counted_hour");
    expect(row?.unpushed).toBe(0);
    expect((row?.pushed_at ?? 0) - HOUR - HOUR_MS).toBeGreaterThanOrEqual(MINUTE_MS);
    expect((row?.pushed_at ?? 0) - HOUR - HOUR_MS).toBeLessThanOrEqual(10 * MINUTE_MS);
  });

  it("is not woken for an hour in which nothing was counted, and writes nothing", async () => {
    const { connection } = await TestConnection.connected();
    await connection.after(50 * MINUTE_MS);
    // D1 has the counts before the object knows it, and only then the next alarm is set.
    await vi.waitFor(async () => expect(await connection.sql("SELECT unpushed FROM counted_hour")).toEqual([{ unpushed: 0 }]));
    expect(await stateOf(connection)).toMatchObject({ connected: 1 });
    const before = await connection.sql("SELECT * FROM counted_hour");
    const alarmAt = await runInDurableObject(connection.stub, (_object, { storage }) => storage.getAlarm());
    // The alarm is set for the daily work, at the object's own time of day.
    expect(alarmAt).toBe(gridOf(connection.uuid, DAY_MS)(Date.now() + 1));
    await connection.after(5 * HOUR_MS);
    expect(await connection.sql("SELECT * FROM counted_hour")).toEqual(before);
    expect(await stored("hourly_count", "all")).toHaveLength(1);
  });

  it("counts in the hour and day of UTC, to the millisecond", async () => {
    const { connection, session } = await TestConnection.connected();
    vi.setSystemTime(DAY + DAY_MS - 1);
    await session.commit([theirs("A")]);
    vi.setSystemTime(DAY + DAY_MS);
    await session.commit([theirs("B"), theirs("C")]);
    await connectionStub(env as never, connection.uuid).pushStatistics();
    const at = (hour: number) => DAY + hour * HOUR_MS;
    expect((await stored("hourly_count", scopeOf(connection))).map((row) => [row.at, row.counts["received.text"]])).toEqual([
      [at(10), undefined],
      [at(23), 1],
      [at(24), 2],
    ]);
    expect((await stored("daily_count", "all")).map((row) => [row.at, row.counts["received.text"]])).toEqual([
      [DAY, 1],
      [DAY + DAY_MS, 2],
    ]);
  });

  it("counts in the hour that has begun if its clock steps back", async () => {
    const { connection, session } = await TestConnection.connected();
    vi.setSystemTime(HOUR + HOUR_MS + 1);
    await session.commit([theirs("A")]);
    vi.setSystemTime(HOUR + 50 * MINUTE_MS);
    await session.commit([theirs("B")]);
    await connectionStub(env as never, connection.uuid).pushStatistics();
    expect((await stored("hourly_count", scopeOf(connection))).map((row) => [row.at, row.counts["received.text"]])).toEqual([
      [HOUR, undefined],
      [HOUR + HOUR_MS, 2],
    ]);
  });

  it("pushes a last time when it is removed, and what it counted stays in the sums", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([theirs("A")]);
    await env.DB.prepare("UPDATE connection SET removed_at = ? WHERE id = ?").bind(Date.now(), connection.record.id).run();
    await connectionStub(env as never, connection.uuid).wipe();
    const counted = { connected: 1, disconnected: 1, ...received(1) };
    for (const table of ["hourly_count", "daily_count"] as const) {
      await vi.waitFor(async () => expect(await total(table, "all")).toEqual(counted));
      expect(await total(table, "user:owner")).toEqual(counted);
      expect(await stored(table, scopeOf(connection))).toEqual([]);
    }
  });
});

describe("a push", () => {
  const push = (connection: TestConnection, hour: number, counts: Record<string, number>, connected = true) =>
    pushCounts(env.DB, connection.uuid, { hours: [{ hour, counts }], connected, waiting: 3 }, Date.now());

  it("adds only the difference if it is repeated or has new counts for an hour", async () => {
    const [one, other] = [await TestConnection.create(), await TestConnection.create()];
    await push(other, HOUR, received(5));
    await push(one, HOUR, received(2));
    await push(one, HOUR, received(2));
    expect(await total("hourly_count", "all")).toEqual(received(7));
    await push(one, HOUR, { ...received(3), deliveries: 1 });
    await push(one, HOUR + HOUR_MS, received(1));
    expect(await stored("hourly_count", "user:owner")).toMatchObject([
      { at: HOUR, counts: { ...received(8), deliveries: 1 } },
      { at: HOUR + HOUR_MS, counts: received(1) },
    ]);
    expect(await total("daily_count", "all")).toEqual({ ...received(9), deliveries: 1 });
    expect(await total("daily_count", scopeOf(one))).toEqual({ ...received(4), deliveries: 1 });
    expect(await stateOf(one)).toEqual({ connected: 1, waiting: 3 });
  });

  it("takes away what was taken back", async () => {
    const connection = await TestConnection.create();
    await push(connection, HOUR, { "failed.text": 1, ...received(1) });
    await push(connection, HOUR, received(1));
    for (const scope of ["all", "user:owner", scopeOf(connection)]) expect(await total("daily_count", scope)).toEqual(received(1));
  });

  it("writes eight rows, more for the first of its kind, and none when it changes nothing", async () => {
    const connection = await TestConnection.create();
    const spy = vi.spyOn(env.DB, "batch");
    const other = await TestConnection.create();
    await push(connection, HOUR - HOUR_MS, received(1));
    await push(other, HOUR, received(1));
    await push(connection, HOUR, received(1));
    const pushes = (await Promise.all(spy.mock.results.map(({ value }) => value as Promise<D1Result[]>))).filter(
      ({ length }) => length === 4,
    );
    spy.mockRestore();
    expect(pushes.map((results) => results.reduce((sum, { meta }) => sum + meta.rows_written, 0))).toEqual([13, 11, 8]);
    const rowids = () => env.DB.prepare("SELECT rowid, counts FROM hourly_count ORDER BY rowid").all();
    const before = (await rowids()).results;
    const batch = vi.spyOn(env.DB, "batch");
    await push(connection, HOUR, received(1));
    const written = (await batch.mock.results[0]?.value) as D1Result[];
    batch.mockRestore();
    expect(written.slice(0, -1).map(({ meta }) => meta.changes)).toEqual([0, 0, 0]);
    expect((await rowids()).results).toEqual(before);
  });

  it("stores nothing for a connection that is gone", async () => {
    await pushCounts(env.DB, crypto.randomUUID(), { hours: [{ hour: HOUR, counts: received(1) }], connected: true, waiting: 0 }, HOUR);
    expect(await stored("hourly_count", "all")).toEqual([]);
  });

  it("is purged when it is past its retention", async () => {
    const connection = await TestConnection.create();
    await push(connection, HOUR, received(1));
    await push(connection, HOUR + HOUR_MS, received(1));
    await purgeCounts(env.DB, HOUR + HOURS_RETENTION_MS + 1);
    expect((await stored("hourly_count", "all")).map(({ at }) => at)).toEqual([HOUR + HOUR_MS]);
    expect(await stored("daily_count", "all")).toHaveLength(1);
    await purgeCounts(env.DB, DAY + DAYS_RETENTION_MS + 1);
    expect(await stored("daily_count", "all")).toEqual([]);
  });

  it("is purged even if rows written earlier, while the clock was ahead, are dated in the future", async () => {
    const ahead = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)";
    const later = DAY + 2 * DAYS_RETENTION_MS;
    for (const table of ["hourly_count", "daily_count"])
      await env.DB.prepare(`${ahead} INSERT INTO ${table} (scope, at, counts) SELECT 'connection:' || i, ?1, '{}' FROM n`)
        .bind(later)
        .run();
    const connection = await TestConnection.create();
    await push(connection, HOUR, received(1));
    await purgeCounts(env.DB, DAY + DAYS_RETENTION_MS + 1);
    expect([await stored("hourly_count", "all"), await stored("daily_count", "all")]).toEqual([[], []]);
  });

  it("is purged in one run with those of thousands of other connections", async () => {
    const rows = (table: string) => env.DB.prepare(`SELECT count(*) AS rows FROM ${table}`).first("rows");
    const numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)";
    const fill = (table: string) =>
      env.DB.prepare(`${numbers} INSERT INTO ${table} (scope, at, counts) SELECT 'connection:' || i, ?1, '{}' FROM n`).bind(DAY).run();
    for (const table of ["hourly_count", "daily_count"]) await fill(table);
    await purgeCounts(env.DB, DAY + HOURS_RETENTION_MS + 1);
    expect([await rows("hourly_count"), await rows("daily_count")]).toEqual([0, 2_500]);
    await purgeCounts(env.DB, DAY + DAYS_RETENTION_MS + 1);
    expect(await rows("daily_count")).toBe(0);
  });
});

describe("a push that fails", () => {
  it("is tried again after five minutes, with what was counted meanwhile, and then at most once an hour", async () => {
    const connection = await TestConnection.create();
    await runInDurableObject(connection.stub, async (_object, { storage: { sql } }) => {
      const counters = new Counters(sql, new CommitProgress(sql));
      const writes: unknown[] = [];
      let isUp = false;
      const ended = () => new Promise((resolve) => setTimeout(resolve, 0));
      const push = new StatisticsPush({
        counters,
        connection: "00000000-0000-4000-8000-000000000000",
        catchUp: { notBefore: (due) => due },
        times: new StoredTimes(sql),
        waiting: () => 0,
        write: async (_connection, { hours }) => {
          if (!isUp) throw new Error("D1 is away");
          writes.push(hours);
        },
        rearm: () => undefined,
      });
      const count = (at: number) => {
        counters.add("deliveries");
        counters.flush(at);
      };
      count(HOUR);
      const first = HOUR + HOUR_MS + MINUTE_MS;
      expect(push.nextDue(Date.now())).toBe(first);
      vi.setSystemTime(first);
      push.run(first);
      await ended();
      expect(push.nextDue(Date.now())).toBe(first + 5 * MINUTE_MS);
      count(first);
      isUp = true;
      vi.setSystemTime(first + 5 * MINUTE_MS);
      push.run(Date.now());
      await ended();
      expect(writes).toEqual([[{ hour: HOUR, counts: { deliveries: 1 } }]]);
      expect(push.nextDue(Date.now())).toBe(HOUR + 2 * HOUR_MS + MINUTE_MS);
      // A correction to a pushed hour waits for the next push.
      counters.takeBack(HOUR, ["deliveries"]);
      counters.flush(Date.now());
      expect(push.nextDue(Date.now())).toBe(HOUR + 2 * HOUR_MS + MINUTE_MS);
      vi.setSystemTime(HOUR + 2 * HOUR_MS + MINUTE_MS);
      push.run(Date.now());
      await ended();
      expect(writes[1]).toEqual([
        { hour: HOUR, counts: {} },
        { hour: HOUR + HOUR_MS, counts: { deliveries: 1 } },
      ]);
      expect(push.nextDue(Date.now())).toBeNull();
    });
  });

  it("leaves an hour pending that changed while it was under way", async () => {
    const connection = await TestConnection.create();
    await runInDurableObject(connection.stub, async (_object, { storage: { sql } }) => {
      const counters = new Counters(sql, new CommitProgress(sql));
      counters.add("failed.text", 2);
      counters.flush(HOUR);
      counters.add("deliveries");
      counters.flush(HOUR + HOUR_MS);
      const push = new StatisticsPush({
        counters,
        connection: connection.uuid,
        catchUp: { notBefore: (due) => due },
        times: new StoredTimes(sql),
        waiting: () => 0,
        write: async () => counters.takeBack(HOUR, ["failed.text"]),
        rearm: () => undefined,
      });
      await push.push(connection.uuid, HOUR + HOUR_MS);
      expect(counters.unpushed(HOUR + HOUR_MS).hours).toEqual([{ hour: HOUR, counts: { "failed.text": 1 } }]);
    });
  });
});
