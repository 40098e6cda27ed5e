// The pool's deferred work completes after an eviction and after the platform lost its alarm.
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ADMINISTRATORS, FleetMails } from "#root/durable-objects/bridge-pool/fleet-mails.ts";
import type { Env } from "#root/src/env.ts";
import { DAY_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { FakeBridge, pool } from "../fakes/bridge.ts";
import { allEnded, event, TestConnection } from "../fakes/connection.ts";
import { evict, ringAlarm, runAlarmsUntil } from "../support/eviction.ts";

const bridges: FakeBridge[] = [];

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2031, 0, 1), toFake: ["Date"] });
});
afterEach(async () => {
  await allEnded();
  for (const bridge of bridges.splice(0)) bridge.leave();
  await sql("DELETE FROM bridge; DELETE FROM placement; DELETE FROM fleet_time; DELETE FROM fleet_mail");
  await evict(pool());
  vi.useRealTimers();
});

const sql = (query: string, ...bindings: unknown[]) =>
  runInDurableObject(pool(), (_object, { storage }) => storage.sql.exec(query, ...bindings).toArray());
const alarmAt = () => runInDurableObject(pool(), (_object, { storage }) => storage.getAlarm());

async function dial(options: Parameters<typeof FakeBridge.dial>[0] = {}): Promise<FakeBridge> {
  const bridge = await FakeBridge.dial(options);
  bridges.push(bridge);
  await pool().list();
  return bridge;
}

it("connections that could not be notified of their dead bridge are notified by the next instance at once", async () => {
  await dial();
  const lost = crypto.randomUUID();
  await sql("INSERT INTO placement (connection, generation, bridge, ticket, lost, wished_at) VALUES (?, 1, NULL, NULL, 1, 0)", lost);
  await evict(pool());
  await pool().list();
  expect(await alarmAt()).toBeLessThanOrEqual(Date.now());
  await ringAlarm(pool());
  await vi.waitFor(async () => expect(await sql("SELECT 1 FROM placement WHERE connection = ?", lost)).toEqual([]));
  expect(await alarmAt()).toBeGreaterThan(Date.now());
});

it("a bridge that was being drained is cleared by the next instance at once", async () => {
  const one = await dial();
  const connection = await TestConnection.create();
  await connection.ask("instance.connect", { force_new_pairing: false });
  await (await one.open(connection.uuid)).commit([event.open()], [["creds|me", "1"]]);
  const two = await dial();
  await sql("UPDATE bridge SET draining = 1 WHERE id = ?", one.id);
  await evict(pool());
  await pool().list();
  expect(await alarmAt()).toBeLessThanOrEqual(Date.now());
  await ringAlarm(pool());
  await (await two.open(connection.uuid)).commit([event.open()]);
  expect(await one.control.next("drain")).toEqual({ type: "drain" });
});

it.each(["kept", "evicted"])(
  "a bridge that falls silent is found dead in time although the clock was a day ahead before: pool %s",
  async (memory) => {
    const now = Date.now();
    vi.setSystemTime(now + DAY_MS);
    const bridge = await dial();
    bridge.say({ type: "load", sessions: 0, rss_mb: 1, cpu: 0 });
    await pool().list();
    vi.setSystemTime(now);
    if (memory === "evicted") await evict(pool());
    await pool().clientVersion();
    bridge.say({ type: "load", sessions: 0, rss_mb: 1, cpu: 0 });
    await pool().list();
    await runAlarmsUntil(pool(), now + MINUTE_MS, { kept: true });
    expect((await pool().list()).bridges.map(({ id }) => id)).not.toContain(bridge.id);
  },
);

it.each(["kept", "evicted"])("the daily wake-ups of numbers go on although the clock was a day ahead before: pool %s", async (memory) => {
  const now = Date.now();
  const sweptThrough = async () => (await sql("SELECT at FROM fleet_time WHERE name = 'swept_through'"))[0]?.["at"];
  vi.setSystemTime(now + DAY_MS);
  await pool().keepBridges();
  await vi.waitFor(async () => expect(await sweptThrough()).toBeGreaterThan(now + DAY_MS));
  vi.setSystemTime(now);
  if (memory === "evicted") await evict(pool());
  await pool().keepBridges();
  vi.setSystemTime(now + MINUTE_MS);
  await pool().keepBridges();
  await vi.waitFor(async () => expect(await sweptThrough()).toBeLessThanOrEqual(now + 3 * MINUTE_MS));
  expect(await sweptThrough()).toBeGreaterThan(now + MINUTE_MS);
});

it("an alarm that the platform has lost is set again while the pool lives", async () => {
  const bridge = await dial();
  await runInDurableObject(pool(), (_object, { storage }) => storage.deleteAlarm());
  vi.setSystemTime(Date.now() + MINUTE_MS);
  bridge.say({ type: "load", sessions: 0, rss_mb: 1, cpu: 0 });
  await pool().list();
  expect(await alarmAt()).not.toBeNull();
});

it("an email to administrators is kept while D1 is down, and when the pool is evicted", async () => {
  const admin = crypto.randomUUID();
  await env.DB.prepare(
    "INSERT INTO user (id, email, name, email_verified, role, status, created_at, updated_at) VALUES (?1, ?1 || '@example.com', 'A', 1, 'admin', 'active', 0, 0)",
  )
    .bind(admin)
    .run();
  const away = {
    prepare: () => {
      throw new Error("D1 is away");
    },
  };
  const sent: string[] = [];
  const MAIL = { send: async ({ to }: { to: string }) => void sent.push(to) };
  await runInDurableObject(pool(), async (_object, { storage }) => {
    const mailsWith = (DB: unknown) => new FleetMails({ ...env, DB, MAIL } as unknown as Env, storage.sql, () => undefined);
    const broken = mailsWith(away);
    broken.add("fleet_alarm", ADMINISTRATORS, { subject: "Build rejected", text: "crash_loop" }, Date.now());
    broken.run(Date.now());
    await vi.waitFor(() => expect(broken.nextDue()).toBe(Date.now() + MINUTE_MS));
    const next = mailsWith(env.DB);
    vi.setSystemTime(Date.now() + MINUTE_MS);
    await vi.waitFor(() => {
      next.run(Date.now());
      expect(sent).toContain(`${admin}@example.com`);
    });
  });
  await env.DB.prepare("DELETE FROM user WHERE id = ?").bind(admin).run();
});
