// A bridge that receives SIGTERM with time to spare: during an image rollout each of its sessions moves once, to a bridge of the new build.
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { expect, it, vi } from "vitest";
import { Moves } from "#root/durable-objects/bridge-pool/moves.ts";
import { Pool } from "#root/durable-objects/bridge-pool/pool.ts";
import { SUCCESSOR_WAIT_MS } from "#root/durable-objects/bridge-pool/successors.ts";
import { FakeBridge, pool } from "../fakes/bridge.ts";
import { event, TestConnection } from "../fakes/connection.ts";
import { evict } from "../support/eviction.ts";

const START = Date.UTC(2031, 0, 1);
const described = (build: string, startedAt: number) => ({
  network: "local" as const,
  sessions: [],
  capacity: 150,
  build,
  started_at: startedAt,
});

type Fleet = {
  own: Pool;
  moves: Moves;
  /** Number of moves per session. */
  moved: Map<string, number>;
  dismissed: string[];
  hello(id: string, build: string, startedAt: number): void;
  place(count: number): void;
  /** Runs until no session moves any more. */
  settle(now: number): Promise<void>;
};

/** A pool whose sessions move immediately. `startsContainers`: the pool starts its own bridges. */
function fleetIn(sql: SqlStorage, startsContainers: boolean): Fleet {
  const own = new Pool(sql, { send: () => true, pingedAt: () => null, bindTicket: (ticket) => ticket }, "local");
  const [moved, dismissed] = [new Map<string, number>(), [] as string[]];
  const moves = new Moves({
    pool: own,
    handOver: ({ connection, generation }) => {
      own.place({ connection, generation: generation + 1, ticket: "t" }, START);
      moved.set(connection, (moved.get(connection) ?? 0) + 1);
      return Promise.resolve("moved");
    },
    dismiss: (bridge) => void dismissed.push(bridge),
    startContainer: () => startsContainers,
    ended: () => undefined,
  });
  return {
    own,
    moves,
    moved,
    dismissed,
    hello: (id, build, startedAt) => own.register({ type: "hello", bridge_id: id, ...described(build, startedAt) }, startedAt),
    place(count) {
      for (let n = 0; n < count; n += 1) own.place({ connection: `c${n}`, generation: 1, ticket: "t" }, START);
    },
    async settle(now) {
      for (let before = -1; before !== moved.size + sum(moved);) {
        before = moved.size + sum(moved);
        moves.run(now);
        await scheduler.wait(0);
      }
    },
  };
}

const sum = (moved: ReadonlyMap<string, number>) => [...moved.values()].reduce((total, times) => total + times, 0);
const inPool = (act: (fleet: Fleet) => Promise<void>, startsContainers = true) =>
  runInDurableObject(env.BRIDGE_POOL.getByName(crypto.randomUUID()), (_object, { storage }) => act(fleetIn(storage.sql, startsContainers)));

it("each session of a rollout over three bridges moves once", async () => {
  await inPool(async ({ own, moves, moved, dismissed, hello, place, settle }) => {
    for (const id of ["bridge-0", "bridge-1", "bridge-2"]) hello(id, "old", START);
    place(300);
    const order = [
      { leaves: "bridge-0", starts: "bridge-3" },
      { leaves: "bridge-1", starts: "bridge-0" },
      { leaves: "bridge-2", starts: "bridge-1" },
    ];
    for (const [step, { leaves, starts }] of order.entries()) {
      const at = START + (step + 1) * 60_000;
      moves.leaving(leaves, at);
      await settle(at + 1_000);
      // Sessions never move to a bridge with the old build.
      expect([step, own.placements.assigned(leaves)]).toEqual([step, [100, 50, 0][step]]);
      hello(starts, "new", at + 10_000);
      await settle(at + 10_000);
      expect(own.placements.assigned(leaves)).toBe(0);
      expect(dismissed).toContain(leaves);
      own.bridges.giveUp(leaves, at + 20_000);
    }
    expect(new Set(moved.values())).toEqual(new Set([1]));
    expect(moved.size).toBe(300);
    expect(own.placements.counts()).toEqual({ placed: 300, queued: 0 });
  });
});

it("a leaving bridge's sessions go to any bridge when the started container shows no new build", async () => {
  await inPool(async ({ own, moves, moved, hello, place, settle }) => {
    for (const id of ["bridge-0", "bridge-1"]) hello(id, "old", START);
    place(20);
    moves.leaving("bridge-0", START + 60_000);
    await settle(START + 61_000);
    expect(moved.size).toBe(0);
    hello("bridge-2", "old", START + 70_000);
    await settle(START + 70_000);
    expect(moved.size).toBe(10);
    expect(own.placements.assigned("bridge-0")).toBe(0);
  });
});

it("a leaving bridge's sessions go to any bridge when no container starts in time", async () => {
  await inPool(async ({ moves, moved, hello, place, settle }) => {
    for (const id of ["bridge-0", "bridge-1"]) hello(id, "old", START);
    place(20);
    moves.leaving("bridge-0", START);
    await settle(START + SUCCESSOR_WAIT_MS - 1);
    expect(moved.size).toBe(0);
    await settle(START + SUCCESSOR_WAIT_MS);
    expect(moved.size).toBe(10);
  });
});

it("a leaving bridge's sessions go at once where bridges run elsewhere", async () => {
  await inPool(async ({ moves, moved, hello, place, settle }) => {
    for (const id of ["eu-1", "eu-2"]) hello(id, "old", START);
    place(20);
    moves.leaving("eu-1", START);
    await settle(START);
    expect(moved.size).toBe(10);
  }, false);
});

it("a leaving bridge keeps its sessions until they have moved, also when the pool was evicted meanwhile", async () => {
  const old = await FakeBridge.dial({ build: "old", startedAt: START });
  await vi.waitFor(async () => expect((await pool().list()).bridges).toHaveLength(1));
  const connection = await TestConnection.create();
  await connection.ask("instance.connect", { force_new_pairing: false });
  const session = await old.open(connection.uuid);
  await session.commit([event.open()]);
  old.say({ type: "draining", grace_ms: 60_000 });
  await vi.waitFor(async () => expect((await pool().list()).bridges).toMatchObject([{ draining: true, assigned: 1 }]));
  await evict(pool());
  expect((await pool().list()).bridges).toMatchObject([{ draining: true, assigned: 1 }]);
  const next = await FakeBridge.dial({ build: "new", startedAt: START + 1_000 });
  const moved = await next.open(connection.uuid);
  await moved.commit([event.open()]);
  expect(await old.control.next("drain")).toEqual({ type: "drain" });
  expect(old.control.rest.filter(({ type }) => type === "close")).toEqual([]);
  await connection.ask("instance.disconnect", {});
  await old.left();
  await next.left();
});
