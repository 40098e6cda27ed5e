// A connection changes its home repeatedly while bridges die, sockets break and stopped sessions linger. Runs eight random sequences, each
// reproducible from its seed.
import { env } from "cloudflare:workers";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { RECONNECT_MS } from "#root/durable-objects/bridge-pool/bridges.ts";
import type { Placement } from "@gateway/protocol/bridge-socket.ts";
import { bridgeHeaders, FakeBridge, FakeSession } from "../fakes/bridge.ts";
import { allEnded, event, TestConnection } from "../fakes/connection.ts";
import { ringAlarm } from "../support/eviction.ts";

const POOLS = ["default", "sam/1", "sam/2"] as const;
type Pool = (typeof POOLS)[number];
const KEY = "creds|me";
const SEEDS = Array.from({ length: 8 }, (_, seed) => seed + 1);
const STEPS = 40;

const stubOf = (pool: Pool) => env.BRIDGE_POOL.getByName(pool);
const homeAt = (pool: Pool) => (pool === "default" ? null : pool);

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ["Date"] });
});
afterEach(async () => {
  await allEnded();
  for (const pool of POOLS) {
    await runInDurableObject(stubOf(pool), (_object, { storage }) => storage.sql.exec("DELETE FROM bridge; DELETE FROM placement"));
    await evictDurableObject(stubOf(pool));
  }
  vi.useRealTimers();
});

/** Random numbers in [0, 1). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** Three pools with one bridge each, one connection, and every session it ever had. */
class World {
  readonly bridges = new Map<Pool, FakeBridge>();
  readonly sessions = new Set<FakeSession>();
  /** Generations with stored writes, in order. */
  readonly stored: number[] = [];
  readonly done: string[] = [];
  readonly #random: () => number;
  /** Settles when the object ends. */
  #ended = Promise.withResolvers<"ended">();
  readonly #cut = new Map<FakeSession, PromiseWithResolvers<false>>();
  readonly connection: TestConnection;

  constructor(seed: number, connection: TestConnection) {
    this.#random = numbers(seed);
    this.connection = connection;
  }

  pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.#random() * items.length)];
  }

  /** Adds a bridge that opens every session it is assigned. */
  async join(pool: Pool): Promise<void> {
    const id = crypto.randomUUID();
    const bridge = await FakeBridge.dial({ id, at: stubOf(pool), headers: bridgeHeaders(id, undefined, pool) });
    this.bridges.set(pool, bridge);
    void this.#openAll(bridge);
  }

  async #openAll(bridge: FakeBridge): Promise<void> {
    for (;;) {
      const { placement, ticket } = await bridge.control.next("open");
      void this.#dial(placement, () => FakeSession.dial(placement.connection, placement.generation, ticket, bridge.id));
    }
  }

  /** Redials if the object goes away in the meantime. */
  async #dial(placement: Placement, dial: () => Promise<FakeSession>): Promise<void> {
    for (let session: FakeSession | null | "ended" = "ended"; session === "ended";) {
      session = await Promise.race([dial().catch(() => null), this.#ended.promise]);
      if (session !== "ended") this.#opened(session, placement);
    }
  }

  #opened(session: FakeSession | null, placement: Placement): void {
    // A refused session has ended.
    if (session === null || session.ticket === "") return this.#gone(placement);
    session.stubborn = session.generation % 2 === 0;
    this.sessions.add(session);
    this.#cut.set(session, Promise.withResolvers());
    void session.frames.closed.then(() => this.#over(session));
    void this.write(session);
  }

  /** The object closed the session, so the bridge ends it and reports that. */
  #over(session: FakeSession): void {
    this.sessions.delete(session);
    this.#gone({ connection: session.uuid, generation: session.generation });
  }

  #gone(placement: Placement): void {
    for (const { control } of this.bridges.values())
      if (control.socket.readyState === WebSocket.OPEN) control.send({ type: "gone", placement });
  }

  /** True if the write was stored. */
  async write(session: FakeSession): Promise<boolean> {
    if (session.frames.socket.readyState !== WebSocket.OPEN) return false;
    const seq = session.put([event.open()], [[KEY, String(session.generation)]]);
    const isStored = await Promise.race([
      session.frames.next("stored", (frame) => frame.seq === seq).then(() => true),
      session.frames.closed.then(() => false),
      this.#cut.get(session)?.promise ?? false,
    ]);
    if (isStored) this.stored.push(session.generation);
    return isStored;
  }

  /** A killed object does not close sockets, so no event reports the loss. */
  cut(session: FakeSession): void {
    session.drop();
    this.#cut.get(session)?.resolve(false);
  }

  async dialAgain(session: FakeSession): Promise<void> {
    this.sessions.delete(session);
    this.cut(session);
    await this.#dial({ connection: session.uuid, generation: session.generation }, () => session.redial());
  }

  /** The bridge process dies with all its sessions, and a new one starts. */
  async replaceBridge(pool: Pool): Promise<void> {
    const bridge = this.bridges.get(pool);
    bridge?.leave();
    for (const session of this.sessions) {
      if (session.bridge !== bridge?.id) continue;
      this.cut(session);
      this.sessions.delete(session);
    }
    await this.join(pool);
  }

  /** Every session tries to write, including abandoned ones. */
  async writeAll(): Promise<FakeSession[]> {
    const results = await Promise.all([...this.sessions].map(async (session) => ((await this.write(session)) ? [session] : [])));
    return results.flat();
  }

  async step(): Promise<void> {
    const { connection, sessions } = this;
    const pool = this.pick(POOLS) ?? "default";
    const session = this.pick([...sessions]);
    const acts: Record<string, () => Promise<void> | void> = {
      move: () => connection.change({ home: homeAt(pool) }),
      "move twice": async () => {
        await connection.change({ home: homeAt(this.pick(POOLS) ?? "default") });
        await connection.change({ home: homeAt(pool) });
      },
      "lose a bridge": () => this.replaceBridge(pool),
      "break a socket": () => session && this.cut(session),
      "dial again": () => session && this.dialAgain(session),
      "let time pass": () => this.pass(),
      "end the object": async () => {
        await connection.crash();
        this.#ended.resolve("ended");
        this.#ended = Promise.withResolvers();
        for (const each of sessions) this.cut(each);
      },
    };
    const act = this.pick(Object.keys(acts)) ?? "";
    this.done.push(`${act} ${pool}`);
    await acts[act]?.();
  }

  /** Waits as long as a pool waits for a lost bridge, and an object for a bridge that opens nothing. */
  async pass(): Promise<void> {
    vi.setSystemTime(Date.now() + RECONNECT_MS + 1);
    for (const [pool, bridge] of this.bridges) if (bridge.control.socket.readyState !== WebSocket.OPEN) await this.replaceBridge(pool);
    for (const bridge of this.bridges.values()) bridge.say({ type: "load", sessions: 1, rss_mb: 100, cpu: 0 });
    for (const each of POOLS) {
      // Once the pool answers this call, it has read its bridge's messages.
      await stubOf(each).list();
      await ringAlarm(stubOf(each));
    }
    await this.connection.alarm();
  }

  placements(): Promise<{ pool: Pool; generation: number }[]> {
    const { uuid } = this.connection;
    return Promise.all(
      POOLS.map((pool) =>
        runInDurableObject(stubOf(pool), (_object, { storage }) =>
          storage.sql
            .exec<{ generation: number }>("SELECT generation FROM placement WHERE connection = ?", uuid)
            .toArray()
            .map(({ generation }) => ({ pool, generation })),
        ),
      ),
    ).then((all) => all.flat());
  }
}

it.each(SEEDS)("a connection never has two sessions that may write, and ends with one in its last home (seed %i)", async (seed) => {
  const world = new World(seed, await TestConnection.create());
  for (const pool of POOLS) await world.join(pool);
  await world.connection.ask("instance.connect", { force_new_pairing: false });
  for (let step = 0; step < STEPS; step += 1) {
    await world.step();
    const generations = (await world.writeAll()).map(({ generation }) => generation);
    expect({ done: world.done, generations }).toEqual({ done: world.done, generations: [...new Set(generations)] });
    expect({ done: world.done, stored: world.stored }).toEqual({ done: world.done, stored: world.stored.toSorted((a, b) => a - b) });
  }
  /** Disconnected sessions redial until exactly one is left. */
  const settled = (pool: Pool | null) =>
    vi.waitFor(
      async () => {
        await world.pass();
        for (const each of POOLS) await stubOf(each).keepBridges();
        for (const session of world.sessions) if (session.frames.socket.readyState !== WebSocket.OPEN) await world.dialAgain(session);
        const writers = await world.writeAll();
        const found = { status: await world.connection.status(), placements: await world.placements() };
        const [writer] = writers;
        expect(writers).toHaveLength(1);
        const placed = { pool: pool ?? found.placements[0]?.pool, generation: writer?.generation };
        expect(found).toEqual({ status: "connected/ok", placements: [placed] });
      },
      { timeout: 60_000 },
    );
  await settled(null);
  const last = world.pick(POOLS.filter((pool) => homeAt(pool) !== world.connection.record.home)) ?? "default";
  await world.connection.change({ home: homeAt(last) });
  await settled(last);
  expect(await world.connection.sql("SELECT value FROM state_row WHERE key = ?", KEY)).toEqual([{ value: String(world.stored.at(-1)) }]);
});
