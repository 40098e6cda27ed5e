// A call costs a pool with many bridges the same as a pool with few (docs/internals/architecture.md, "Capacity"). Rows are counted; times
// are only compared with each other, so the machine's speed does not matter.
import { env } from "cloudflare:workers";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { BridgePool } from "#root/durable-objects/bridge-pool/bridge-pool.ts";
import { bridgeHeaders, FakeBridge } from "../fakes/bridge.ts";
import { expectAtMost } from "../../support/promised-times.ts";

type Stub = DurableObjectStub<BridgePool>;
/** `rows` of the worst call, `ms` of a call in the fastest round. */
type Cost = { ms: number; read: number; written: number };

const ROUNDS = 10;
const TICKS = 50;
/** The clock's resolution is one millisecond. */
const TICK_MS = 2;
const COUNTS = { few: 10, some: 100, many: 1_000 } as const;
const pools: Stub[] = [];
/** Kept so that their sockets stay open. */
const bridges: FakeBridge[] = [];

beforeEach(() => {
  // Alarms use the real clock, so none fires during a test.
  vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ["Date"] });
});
afterEach(async () => {
  bridges.length = 0;
  for (const stub of pools.splice(0)) {
    // Wakes the pool, which may already be evicted.
    await stub.clientVersion();
    await evictDurableObject(stub, { webSockets: "close" });
  }
  vi.useRealTimers();
});

/** A separate pool with this many bridges. */
async function poolWith(count: number): Promise<Stub> {
  const at = env.BRIDGE_POOL.getByName(crypto.randomUUID());
  pools.push(at);
  for (let n = 0; n < count; n++) {
    const id = `b${n}`;
    bridges.push(await FakeBridge.dial({ id, capacity: 10_000, at, headers: bridgeHeaders(id) }));
  }
  expect((await at.list()).bridges).toHaveLength(count);
  return at;
}

type Call = (object: BridgePool, sockets: readonly WebSocket[], n: number) => unknown;

const inPool = <T>(stub: Stub, work: (object: BridgePool, state: DurableObjectState) => Promise<T>): Promise<T> =>
  runInDurableObject<BridgePool, T>(stub, work);

/**
 * Milliseconds per call in the clock tick with the most calls, in which nothing else used the processor. Rotates among few bridges: the
 * sockets of many do not fit into the processor's cache, a cost that is not ours.
 */
const round = (stub: Stub, call: Call): Promise<number> =>
  inPool(stub, async (object, state) => {
    const sockets = state.getWebSockets().slice(0, COUNTS.few);
    expect(sockets).toHaveLength(COUNTS.few);
    let [most, n] = [0, 0];
    for (let tick = 0; tick < TICKS; tick++) {
      const end = performance.now() + TICK_MS;
      let calls = 0;
      for (; performance.now() < end; calls++) await call(object, sockets, n++);
      most = Math.max(most, calls);
    }
    return TICK_MS / most;
  });

const rowsOf = (stub: Stub, call: Call): Promise<Omit<Cost, "ms">> =>
  inPool(stub, async (object, state) => {
    const { sql } = state.storage;
    const exec = sql.exec.bind(sql);
    const most = { read: 0, written: 0 };
    for (let turn = 0; turn < 20; turn++) {
      const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
      sql.exec = ((query: string, ...bindings: unknown[]) => {
        const cursor = exec(query, ...bindings);
        cursors.push(cursor);
        return cursor;
      }) as typeof sql.exec;
      await call(object, state.getWebSockets(), turn);
      sql.exec = exec;
      const sum = (read: (cursor: (typeof cursors)[number]) => number) => cursors.reduce((total, cursor) => total + read(cursor), 0);
      most.read = Math.max(
        most.read,
        sum(({ rowsRead }) => rowsRead),
      );
      most.written = Math.max(
        most.written,
        sum(({ rowsWritten }) => rowsWritten),
      );
    }
    return most;
  });

/** Alternates rounds of both, so that other load affects both equally. The first round, with new bridges, is not counted. */
async function costs(call: Call): Promise<{ few: Cost; many: Cost }> {
  const stubs = { few: await poolWith(COUNTS.few), many: await poolWith(COUNTS.many) };
  const least = { few: Number.POSITIVE_INFINITY, many: Number.POSITIVE_INFINITY };
  for (const stub of [stubs.few, stubs.many]) await round(stub, call);
  for (let n = 0; n < ROUNDS; n++) {
    least.few = Math.min(least.few, await round(stubs.few, call));
    least.many = Math.min(least.many, await round(stubs.many, call));
  }
  return {
    few: { ms: least.few, ...(await rowsOf(stubs.few, call)) },
    many: { ms: least.many, ...(await rowsOf(stubs.many, call)) },
  };
}

function print(what: string, few: Cost, many: Cost): void {
  const ms = (cost: Cost): string => cost.ms.toFixed(3);
  console.log(
    `${what}: ${COUNTS.few} bridges ${ms(few)} ms, ${COUNTS.many} bridges ${ms(many)} ms (x${(many.ms / few.ms).toFixed(1)}), rows read ${many.read}, written ${many.written}`,
  );
}

it("a report costs the same with 1,000 bridges as with 10, and writes nothing", async () => {
  const report = (object: BridgePool, sockets: readonly WebSocket[], n: number): void => {
    const frame = { type: "load", sessions: n % 150, rss_mb: 200 + (n % 7), cpu: (n % 10) / 10, away: 0, troubles: [] };
    const socket = sockets[n % sockets.length];
    if (socket !== undefined) object.webSocketMessage(socket, JSON.stringify(frame));
  };
  const { few, many } = await costs(report);
  print("report", few, many);
  expect(many.written).toBe(0);
  expect(many.read).toBeLessThanOrEqual(5);
  expectAtMost("a report with 1,000 bridges", many.ms / few.ms, 1.5, "x one with 10");
});

it("a placement costs the same with 1,000 bridges as with 10", async () => {
  const place = (object: BridgePool): unknown => object.place({ connection: crypto.randomUUID(), generation: 1, ticket: "ticket" });
  const { few, many } = await costs(place);
  print("placement", few, many);
  expect(many.read).toBeLessThanOrEqual(5);
  expectAtMost("a placement with 1,000 bridges", many.ms / few.ms, 2, "x one with 10");
});

it("waking takes a pool of 1,000 bridges no more than 12 times as long as one of 100", async () => {
  const wake = async (stub: Stub): Promise<number> => {
    await stub.clientVersion();
    await evictDurableObject(stub);
    const began = performance.now();
    await stub.clientVersion();
    return performance.now() - began;
  };
  const stubs = { some: await poolWith(COUNTS.some), many: await poolWith(COUNTS.many) };
  let [some, many] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let n = 0; n < ROUNDS; n++) {
    some = Math.min(some, await wake(stubs.some));
    many = Math.min(many, await wake(stubs.many));
  }
  expectAtMost("waking with 1,000 bridges", many / some, 12, "x with 100");
});
