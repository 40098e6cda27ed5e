// How the pool uses bridge reports: alarms, combined emails, and builds limited to a share of sessions.
import { env } from "cloudflare:workers";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Moves } from "#root/durable-objects/bridge-pool/moves.ts";
import { Pool } from "#root/durable-objects/bridge-pool/pool.ts";
import { belongsToBuild, type Rollout } from "@gateway/domain/fleet/rollout.ts";
import type { Placement } from "@gateway/protocol/bridge-socket.ts";
import { FakeBridge, FakeSession, pool } from "../fakes/bridge.ts";
import { gatheredFor } from "../support/owner-mail.ts";
import { event, TestConnection } from "../fakes/connection.ts";

const WAIT = { timeout: 60_000, interval: 20 };
const MINUTE = 60_000;
const connections: TestConnection[] = [];
const bridges: FakeBridge[] = [];

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2031, 0, 1), toFake: ["Date"] });
});
afterEach(async () => {
  for (const connection of connections.splice(0)) await connection.ask("instance.disconnect", {});
  for (const bridge of bridges.splice(0)) bridge.leave();
  await runInDurableObject(pool(), (_object, { storage }) =>
    storage.sql.exec(
      "DELETE FROM bridge; DELETE FROM placement; DELETE FROM proxy_round; DELETE FROM fleet_alarm; DELETE FROM fleet_time; DELETE FROM fleet_mail; DELETE FROM away_number; DELETE FROM away_owner; DELETE FROM rollout; DELETE FROM bridge_start",
    ),
  );
  await evictDurableObject(pool());
  vi.restoreAllMocks();
  vi.useRealTimers();
});

async function dial(options: Parameters<typeof FakeBridge.dial>[0] = {}): Promise<FakeBridge> {
  const bridge = await FakeBridge.dial(options);
  bridges.push(bridge);
  await pool().list();
  return bridge;
}

type Troubles = NonNullable<Extract<Parameters<FakeBridge["say"]>[0], { type: "load" }>["troubles"]>;

async function report(bridge: FakeBridge, sessions: number, troubles: Troubles, away = 0): Promise<void> {
  bridge.say({ type: "load", sessions, rss_mb: 1, cpu: 0, away, troubles });
  await pool().fleet();
}

const closes = (code: string, sessions: number): Troubles => [{ kind: "close", code, total: sessions, sessions }];

/** Advances the pool's time while every bridge reports in. */
async function after(ms: number, each: () => Promise<void>): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10_000) {
    vi.setSystemTime(Date.now() + 10_000);
    await each();
  }
}

/** Subject and text of all emails that the pool has queued or passed to this user's guard. */
async function mailsOf(userId: string): Promise<{ subject: string; text: string }[]> {
  const own = await runInDurableObject(pool(), (_object, { storage }) =>
    storage.sql.exec<{ subject: string; text: string }>("SELECT subject, text FROM fleet_mail WHERE user_id = ?", userId).toArray(),
  );
  return [...own, ...(await gatheredFor(userId)).map(({ subject, text }) => ({ subject, text }))];
}

/** Email stays in the pool's list while each attempt fails. */
const breakMail = () => vi.spyOn(env.MAIL, "send").mockRejectedValue(new Error("no mail"));

async function person(role: "admin" | "user"): Promise<string> {
  const id = crypto.randomUUID();
  await env.DB.prepare(
    "INSERT INTO user (id, email, name, email_verified, role, status, created_at, updated_at) VALUES (?1, ?1 || '@example.com', 'A', 1, ?2, 'active', 0, 0)",
  )
    .bind(id, role)
    .run();
  return id;
}

async function connectionOf(owner: string, name: string): Promise<string> {
  const uuid = crypto.randomUUID();
  await env.DB.prepare("INSERT INTO connection (uuid, owner_id, name, kind, created_at, updated_at) VALUES (?, ?, ?, 'session', 0, 0)")
    .bind(uuid, owner, name)
    .run();
  return uuid;
}

describe("a storm of 405 closes", () => {
  it("raises one alarm, emails each administrator once, and ends once", async () => {
    const admin = await person("admin");
    breakMail();
    const lines = vi.spyOn(console, "log");
    const logged = (name: string) => lines.mock.calls.filter(([line]) => String(line).includes(`"${name}"`)).length;
    const [one, two] = [await dial(), await dial()];
    await after(5 * MINUTE, async () => {
      await report(one, 150, closes("405", 60));
      await report(two, 150, closes("405", 40));
    });
    expect((await pool().fleet()).alarms).toMatchObject([{ kind: "close", code: "405", sessions: 100 }]);
    expect((await pool().fleet()).troubles).toEqual([{ kind: "close", code: "405", total: 100, sessions: 100 }]);
    await vi.waitFor(async () => expect(await mailsOf(admin)).toHaveLength(1), WAIT);
    expect((await mailsOf(admin))[0]?.text).toContain("- close 405: 100 numbers");
    // The pool restarts in between and still knows its alarm.
    await evictDurableObject(pool());
    await after(15 * MINUTE, async () => {
      await report(one, 150, []);
      await report(two, 150, []);
    });
    expect((await pool().fleet()).alarms).toEqual([]);
    expect([logged("fleet.alarm"), logged("fleet.alarm_over")]).toEqual([1, 1]);
    await env.DB.prepare("DELETE FROM user WHERE id = ?").bind(admin).run();
  });
});

it("an alarm does not end while no bridge is there to report", async () => {
  const bridge = await dial();
  await after(10_000, () => report(bridge, 150, closes("405", 60)));
  await bridge.left();
  for (let minute = 0; minute < 15; minute++) {
    vi.setSystemTime(Date.now() + MINUTE);
    await pool().keepBridges();
  }
  expect((await pool().fleet()).alarms).toMatchObject([{ kind: "close", code: "405" }]);
  const next = await dial();
  await after(11 * MINUTE, () => report(next, 150, []));
  expect((await pool().fleet()).alarms).toEqual([]);
});

async function sessionOn(bridge: FakeBridge): Promise<{ connection: TestConnection; session: FakeSession }> {
  const connection = await TestConnection.create();
  connections.push(connection);
  await connection.ask("instance.connect", { force_new_pairing: false });
  const session = await bridge.open(connection.uuid);
  await session.commit([event.open()], [["creds|me", "1"]]);
  return { connection, session };
}

const assigned = async () => Object.fromEntries((await pool().list()).bridges.map(({ id, assigned }) => [id, assigned]));

/** Follows the pool's placements on this bridge, as a real bridge would. */
function follow(bridge: FakeBridge, seen: string[] = []): string[] {
  void (async () => {
    for (;;) {
      const { placement, ticket } = await bridge.control.next("open").catch(() => ({ placement: null, ticket: "" }));
      if (placement === null) return;
      seen.push(placement.connection);
      const session = await FakeSession.dial(placement.connection, placement.generation, ticket, bridge.id).catch(() => null);
      await session?.commit([event.open()]).catch(() => undefined);
    }
  })();
  return seen;
}

describe("a build with a share", () => {
  it("is rejected if its sessions fail, without touching a session outside its share", async () => {
    const old = await dial({ build: "good" });
    const held = [];
    for (let n = 0; n < 6; n++) held.push(await sessionOn(old));
    const fresh = await dial({ build: "bad" });
    const [first, second] = held.slice(0, 2).map(({ connection }) => connection.uuid) as [string, string];
    const back = follow(old);
    const seen = follow(fresh);
    const rollout: Rollout = { build: "bad", percent: 0, connections: [first, second] };
    await pool().setRollout(rollout);
    await vi.waitFor(async () => expect(await assigned()).toEqual({ [old.id]: 4, [fresh.id]: 2 }), WAIT);
    await vi.waitFor(() => expect(seen.toSorted()).toEqual([first, second].toSorted()), WAIT);
    const before = Date.now();
    await report(old, 4, []);
    await report(fresh, 2, closes("500", 2));
    await vi.waitFor(async () => expect(await assigned()).toEqual({ [old.id]: 6, [fresh.id]: 0 }), WAIT);
    expect(Date.now() - before).toBeLessThanOrEqual(MINUTE);
    await vi.waitFor(() => expect(back.toSorted()).toEqual([first, second].toSorted()), WAIT);
    expect((await pool().fleet()).rollout).toMatchObject({ build: "bad", percent: 0, connections: [], rejectedFor: "close 500" });
    for (const { session } of held.slice(2)) expect(session.frames.socket.readyState).toBe(WebSocket.OPEN);
  });

  it("is not rejected for what the network does to every bridge while every bridge runs it", async () => {
    const bridge = await dial({ build: "new" });
    await pool().setRollout({ build: "new", percent: 100, connections: [] });
    await report(bridge, 20, closes("405", 20));
    expect((await pool().fleet()).rollout).toMatchObject({ percent: 100, rejectedFor: null });
    await pool().place({ connection: crypto.randomUUID(), generation: 1, ticket: "t" });
    expect(await assigned()).toEqual({ [bridge.id]: 1 });
  });

  it("is rejected if it crashes in a loop right after its start, and its sessions return", async () => {
    const admin = await person("admin");
    breakMail();
    const old = await dial({ build: "good" });
    const { connection } = await sessionOn(old);
    const back = follow(old);
    await pool().setRollout({ build: "bad", percent: 0, connections: [connection.uuid] });
    const id = crypto.randomUUID();
    const seen: string[] = [];
    const crash = async (): Promise<void> => {
      vi.setSystemTime(Date.now() + 20_000);
      old.say({ type: "load", sessions: 1, rss_mb: 1, cpu: 0 });
      const fresh = await dial({ id, build: "bad", startedAt: Date.now() });
      const before = seen.length;
      follow(fresh, seen);
      await vi.waitFor(() => expect(seen.length).toBeGreaterThan(before), WAIT);
      expect((await pool().fleet()).rollout?.rejectedFor).toBeNull();
      await fresh.left();
    };
    for (let n = 0; n < 3; n++) await crash();
    vi.setSystemTime(Date.now() + 20_000);
    old.say({ type: "load", sessions: 1, rss_mb: 1, cpu: 0 });
    await dial({ id, build: "bad", startedAt: Date.now() });
    expect((await pool().fleet()).rollout).toMatchObject({ build: "bad", percent: 0, connections: [], rejectedFor: "process crash_loop" });
    await vi.waitFor(async () => expect(await assigned()).toEqual({ [old.id]: 1, [id]: 0 }), WAIT);
    await vi.waitFor(() => expect(back.at(-1)).toBe(connection.uuid), WAIT);
    await vi.waitFor(async () => expect((await mailsOf(admin))[0]?.text).toContain('The processes of the build "bad" keep exiting'), WAIT);
    await env.DB.prepare("DELETE FROM user WHERE id = ?").bind(admin).run();
  });

  it("may be restarted again and again if its processes announce their end", async () => {
    await dial({ build: "good" });
    await pool().setRollout({ build: "new", percent: 50, connections: [] });
    const id = crypto.randomUUID();
    for (let n = 0; n < 5; n++) {
      vi.setSystemTime(Date.now() + 2_000);
      const fresh = await dial({ id, build: "new", startedAt: Date.now() });
      fresh.say({ type: "draining" });
      await pool().fleet();
      await fresh.left();
    }
    expect((await pool().fleet()).rollout).toMatchObject({ percent: 50, rejectedFor: null });
  });

  it("gets no sessions outside its share, and those inside go elsewhere when it has no room", async () => {
    const old = await dial({ capacity: 40 });
    const fresh = await dial({ build: "new", capacity: 4 });
    const rollout: Rollout = { build: "new", percent: 50, connections: [] };
    await pool().setRollout(rollout);
    const request = (inside: boolean): { connection: string; generation: number; ticket: string } => {
      let connection = crypto.randomUUID();
      while (belongsToBuild(rollout, connection) !== inside) connection = crypto.randomUUID();
      return { connection, generation: 1, ticket: "t" };
    };
    for (let n = 0; n < 3; n++) await pool().place(request(false));
    expect(await assigned()).toEqual({ [old.id]: 3, [fresh.id]: 0 });
    for (let n = 0; n < 6; n++) await pool().place(request(true));
    expect(await assigned()).toEqual({ [old.id]: 5, [fresh.id]: 4 });
  });

  it("loses its stuck sessions 30 seconds after its withdrawal, as far as other bridges have room", async () => {
    await runInDurableObject(env.BRIDGE_POOL.getByName(crypto.randomUUID()), (_object, { storage: { sql } }) => {
      const own = new Pool(sql, { send: () => true, pingedAt: () => null, bindTicket: (ticket) => ticket }, "local");
      const moves = new Moves({
        pool: own,
        // Neither the bridge's sessions nor their objects make progress.
        handOver: () => new Promise(() => undefined),
        dismiss: () => undefined,
        startContainer: () => false,
        ended: () => undefined,
      });
      const now = Date.now();
      const hello = { type: "hello", network: "local", sessions: [] as Placement[] } as const;
      own.register({ ...hello, bridge_id: "bad", capacity: 10, build: "bad" }, now);
      for (const connection of ["a", "b", "c"]) own.place({ connection, generation: 1, ticket: "t" }, now);
      own.register({ ...hello, bridge_id: "good", capacity: 2 }, now);
      own.buildShare.set({ build: "bad", percent: 0, connections: [] }, now);
      moves.sharesChanged();
      moves.run(now);
      moves.run(now + 29_999);
      expect(own.placements.assigned("bad")).toBe(3);
      expect(moves.nextDue()).toBe(now + 30_000);
      moves.run(now + 30_000);
      expect([...own.placements.lost()]).toHaveLength(2);
      expect(own.placements.assigned("bad")).toBe(1);
    });
  });
});

describe("an outage", () => {
  it("sends each owner one email for all of their numbers instead of one per number", async () => {
    breakMail();
    const bridge = await dial({ capacity: 50 });
    const owner = await person("user");
    const [first, second, late] = await Promise.all(["Loja", "Oficina", "Depois"].map((name) => connectionOf(owner, name)));
    expect(await pool().takeAway(first ?? "")).toBe(false);
    await report(bridge, 20, [], 12);
    await after(5_000, () => report(bridge, 20, [], 12));
    for (const uuid of [first, second]) expect(await pool().takeAway(uuid ?? "")).toBe(true);
    await after(11 * MINUTE, () => report(bridge, 20, [], 12));
    await vi.waitFor(async () => expect(await mailsOf(owner)).toHaveLength(1), WAIT);
    expect((await mailsOf(owner))[0]?.text).toContain("\n\n- Loja\n- Oficina\n\n");
    // A late connection in the same outage. Its owner has been notified already.
    expect(await pool().takeAway(late ?? "")).toBe(true);
    await after(11 * MINUTE, () => report(bridge, 20, [], 12));
    expect(await runInDurableObject(pool(), (_object, { storage }) => storage.sql.exec("SELECT * FROM away_number").toArray())).toEqual([]);
    expect(await mailsOf(owner)).toHaveLength(1);
  });

  it("is emailed to an owner whose email about the previous one was due after its end", async () => {
    breakMail();
    const bridge = await dial({ capacity: 50 });
    const owner = await person("user");
    const [first, second] = await Promise.all(["Loja", "Oficina"].map((name) => connectionOf(owner, name)));
    await after(10_000, () => report(bridge, 20, [], 12));
    await after(MINUTE, () => report(bridge, 20, [], 0));
    expect(await pool().takeAway(first ?? "")).toBe(true);
    await after(12 * MINUTE, () => report(bridge, 20, [], 0));
    expect((await pool().fleet()).alarms).toEqual([]);
    await vi.waitFor(async () => expect(await mailsOf(owner)).toHaveLength(1), WAIT);
    await after(10_000, () => report(bridge, 20, [], 12));
    expect(await pool().takeAway(second ?? "")).toBe(true);
    await after(11 * MINUTE, () => report(bridge, 20, [], 12));
    await vi.waitFor(async () => expect((await mailsOf(owner)).map(({ text }) => text.includes("Oficina"))).toEqual([false, true]), WAIT);
  });
});
