// A bridge that only sends pings stays alive: they are answered without waking the pool, which checks their time before expiring a bridge.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { BRIDGE_TIMEOUT_MS } from "@gateway/protocol/bridge-socket.ts";
import { PING, PONG } from "@gateway/protocol/session-socket.ts";
import { FakeBridge, pool } from "../fakes/bridge.ts";
import { ringAlarm } from "../support/eviction.ts";

const bridges: FakeBridge[] = [];
/** The platform timestamps pings with the real clock, so the fake clock starts slightly earlier and never runs far ahead. */
let pinged: number;

beforeEach(() => {
  pinged = Date.now();
  vi.useFakeTimers({ now: pinged - BRIDGE_TIMEOUT_MS, toFake: ["Date"] });
});
afterEach(async () => {
  for (const bridge of bridges.splice(0)) bridge.leave();
  await runInDurableObject(pool(), (_object, { storage }) => storage.sql.exec("DELETE FROM bridge; DELETE FROM placement"));
  await evictDurableObject(pool());
  vi.useRealTimers();
});

async function dial(id: string): Promise<FakeBridge> {
  const bridge = await FakeBridge.dial({ id });
  bridges.push(bridge);
  await pool().list();
  return bridge;
}

/** Returns the platform's time once the ping is answered. */
async function ping({ control: { socket } }: FakeBridge): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.addEventListener("message", ({ data }) => data === PONG && resolve());
  socket.send(PING);
  await promise;
  return vi.getRealSystemTime();
}

const alive = async () => (await pool().list()).bridges.map(({ id }) => id);

async function at(time: number): Promise<string[]> {
  vi.setSystemTime(time);
  await ringAlarm(pool());
  return alive();
}

it.each([
  ["awake", async () => undefined],
  ["asleep meanwhile", () => evictDurableObject(pool())],
])("a bridge that pings is alive, and one that does not is dead after 12 s: pool %s", async (_which, sleep) => {
  const [one, two] = [await dial("one"), await dial("two")];
  const answeredAt = await ping(one);
  await sleep();
  expect(await alive()).toEqual(["one", "two"]);
  expect(await at(pinged)).toEqual(["one"]);
  expect(await two.control.closed).toMatchObject({ reason: "silent" });
  expect(await at(Date.now() + BRIDGE_TIMEOUT_MS - 1), "the ping keeps the bridge alive").toEqual(["one"]);
  expect(await at(answeredAt + BRIDGE_TIMEOUT_MS)).toEqual([]);
});

it("bridges that a late pool finds silent get their time once more, because their messages may be unread", async () => {
  const [one, two] = [await dial("one"), await dial("two")];
  const last = Date.now();
  expect(await at(last + 35_000), "the alarm is 23 s late").toEqual(["one", "two"]);
  one.say({ type: "load", sessions: 7, rss_mb: 300, cpu: 0.5 });
  await vi.waitFor(async () => expect((await pool().list()).bridges).toMatchObject([{ sessions: 7 }, {}]));
  expect(await at(last + 35_000 + BRIDGE_TIMEOUT_MS), "only bridge one was read in the meantime").not.toContain("two");
  expect(await two.control.closed).toMatchObject({ reason: "silent" });
});

const MEMORIES = [
  ["awake", async () => undefined],
  ["asleep meanwhile", () => evictDurableObject(pool())],
] as const;

it.each(MEMORIES)("a bridge that stays silent is spared once, however late the pool is again: pool %s", async (_which, sleep) => {
  const one = await dial("one");
  const last = Date.now();
  expect(await at(last + 35_000)).toEqual(["one"]);
  await sleep();
  expect(await at(last + 70_000)).toEqual([]);
  expect(await one.control.closed).toMatchObject({ reason: "silent" });
});

it("bridges of a pool that stands still again and again are spared three times, and no more", async () => {
  await dial("one");
  const [, three] = [await dial("two"), await dial("three")];
  const last = Date.now();
  expect(await at(last + 35_000)).toEqual(["one", "three", "two"]);
  // This bridge's message arrives long before the others'.
  three.say({ type: "load", sessions: 7, rss_mb: 300, cpu: 0.5 });
  await vi.waitFor(async () => expect((await pool().list()).bridges).toMatchObject([{}, { sessions: 7 }, {}]));
  for (const times of [2, 3]) expect(await at(last + times * 35_000), `${times}`).toEqual(["one", "three", "two"]);
  expect(await at(last + 4 * 35_000), "this bridge was seen later than the others").toEqual(["three"]);
});

it("a silent bridge is spared once where the pool hears another one meanwhile, however late it is", async () => {
  const [, two] = [await dial("one"), await dial("two")];
  const last = Date.now();
  expect(await at(last + 35_000)).toEqual(["one", "two"]);
  vi.setSystemTime(last + 65_000);
  two.say({ type: "load", sessions: 7, rss_mb: 300, cpu: 0.5 });
  await vi.waitFor(async () => expect((await pool().list()).bridges).toMatchObject([{}, { sessions: 7 }]));
  expect(await at(last + 70_000)).toEqual(["two"]);
});

it("a bridge that offers pings is answered, and one of an earlier release is not", async () => {
  const [one, two] = [await dial("one"), await dial("two")];
  one.say({ type: "hello", bridge_id: "one", network: "local", capacity: 1, sessions: [], pings: true });
  expect(await one.control.next("pings")).toEqual({ type: "pings" });
  expect(two.control.rest).toEqual([]);
});

it("a bridge's last report is known after the pool was evicted", async () => {
  const one = await dial("one");
  one.say({ type: "load", sessions: 7, rss_mb: 300, cpu: 0.5, away: 2, troubles: [{ kind: "iq", code: "500", total: 3, sessions: 2 }] });
  await vi.waitFor(async () => expect((await pool().list()).bridges).toMatchObject([{ sessions: 7, rss_mb: 300, cpu: 0.5 }]));
  await evictDurableObject(pool());
  expect((await pool().list()).bridges).toMatchObject([{ id: "one", sessions: 7, rss_mb: 300, cpu: 0.5, connected: true }]);
  expect(await pool().fleet()).toMatchObject({ away: 2, troubles: [{ kind: "iq", code: "500", total: 3, sessions: 2 }] });
});
