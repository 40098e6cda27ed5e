// All bridges of a pool die at once while spare ones are ready. Computes how long its 10,000 connections wait if the pool handles 1,000
// events a second. Time is counted, not real; the tables are the platform's own.
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { expect, it, vi } from "vitest";
import { LostSessions } from "#root/durable-objects/bridge-pool/lost-sessions.ts";
import { Pool } from "#root/durable-objects/bridge-pool/pool.ts";

const CONNECTIONS = 10_000;
const BRIDGES = 67;
/** Each step of the pool takes one millisecond: notifying, receiving the answer, placing. */
const EVENT_MS = 1;

it("10,000 connections whose bridges died are all placed within 30 s, each notified and placed once", async () => {
  vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ["Date"] });
  const result = await runInDurableObject(env.BRIDGE_POOL.getByName(crypto.randomUUID()), async (_object, { storage: { sql } }) => {
    const pool = new Pool(sql, { send: () => true, pingedAt: () => null, bindTicket: (ticket) => ticket }, "local");
    const hello = { type: "hello", network: "local", capacity: 150, sessions: [] as { connection: string; generation: number }[] } as const;
    for (let n = 0; n < BRIDGES; n++) pool.register({ ...hello, bridge_id: `dying-${n}` }, Date.now());
    for (let n = 0; n < CONNECTIONS; n++) pool.place({ connection: `c${n}`, generation: 1, ticket: "t" }, Date.now());
    const died = Date.now();
    for (let n = 0; n < BRIDGES; n++) pool.bridges.detach(`dying-${n}`, died);
    for (let n = 0; n < BRIDGES; n++) pool.register({ ...hello, bridge_id: `spare-${n}` }, died);
    vi.setSystemTime(died + 3_000);
    const written = { rows: 0, read: 0 };
    const exec = sql.exec.bind(sql);
    const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
    sql.exec = ((query: string, ...bindings: unknown[]) => {
      const cursor = exec(query, ...bindings);
      cursors.push(cursor);
      return cursor;
    }) as typeof sql.exec;
    const perSecond = new Map<number, number>();
    const event = (): void => {
      vi.setSystemTime(Date.now() + EVENT_MS);
      const second = Math.floor((Date.now() - died) / 1_000);
      perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
    };
    const notified = new Map<string, number>();
    let places = 0;
    const lost = new LostSessions({
      placements: pool.placements,
      bridgeLost: async ({ connection, generation }) => {
        event();
        notified.set(connection, (notified.get(connection) ?? 0) + 1);
        await Promise.resolve();
        event();
        places += 1;
        pool.place({ connection, generation: generation + 1, ticket: "t" }, Date.now());
      },
      rearm: () => undefined,
    });
    pool.expire(Date.now());
    lost.notify();
    await vi.waitFor(() => expect(places).toBeGreaterThanOrEqual(CONNECTIONS), { timeout: 60_000 });
    sql.exec = exec;
    for (const { rowsRead, rowsWritten } of cursors) {
      written.rows += rowsWritten;
      written.read += rowsRead;
    }
    const spread = [...perSecond.values()];
    const assigned = Array.from({ length: BRIDGES }, (_, n) => pool.placements.assigned(`spare-${n}`));
    return {
      seconds: (Date.now() - died) / 1_000,
      places,
      mostNotified: Math.max(...notified.values()),
      busiest: Math.max(...spread) / (spread.reduce((sum, n) => sum + n, 0) / spread.length),
      placed: pool.placements.counts(),
      fullest: Math.max(...assigned) - Math.min(...assigned),
      rows: written.rows / CONNECTIONS,
      read: written.read / CONNECTIONS,
    };
  });
  vi.useRealTimers();
  console.log(
    `bridges' deaths: all placed after ${result.seconds} s, ${result.places / CONNECTIONS} placements a connection, ${result.rows.toFixed(1)} rows written and ${result.read.toFixed(1)} read`,
  );
  expect(result.placed).toEqual({ placed: CONNECTIONS, queued: 0 });
  expect(result.seconds).toBeLessThanOrEqual(30);
  expect(result.places).toBeLessThanOrEqual(1.1 * CONNECTIONS);
  expect(result.mostNotified).toBe(1);
  expect(result.busiest).toBeLessThanOrEqual(3);
  expect(result.fullest, "the sessions are spread evenly over the spare bridges").toBeLessThanOrEqual(1);
  expect(result.rows).toBeLessThanOrEqual(4);
});
