// Events that release a held send before its next check (docs/use/waiting-sends.md, "While the number cannot send").
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { NewChatQuota } from "@gateway/protocol/events.ts";
import type { PacingSettings } from "@gateway/domain/messages/reachability.ts";
import { HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import type { FakeSession } from "../fakes/bridge.ts";
import { allEnded, event, OTHER, TestConnection } from "../fakes/connection.ts";
import { mine, taken, theirs } from "../fakes/messages.ts";
import { Receiver } from "../fakes/receiver.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(async () => {
  await allEnded();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const NEW = "5511900000101";
const CHAT = `${NEW}@c.us`;
const LID = "150000000000101";
const WAITS = { delivery: { at: null, until: null } };
const QUOTA: NewChatQuota = { total: 50, used: 50, cycle_ends_at: null, status: "none" };

const idOf = (n: number) => `3EB0${String(n).padStart(18, "0")}`;

type World = { connection: TestConnection; session: FakeSession };

async function set({ connection }: World, pacing: Partial<PacingSettings>): Promise<void> {
  const { settings } = connection.record;
  await connection.change({ settings: { ...settings, pacing: { ...settings.pacing, ...pacing } } });
}

function restrict({ session }: World, isRestricted: boolean): Promise<void> {
  const timestamp = Math.floor(Date.now() / 1000);
  const restriction = { type: "new_chats_blocked", enforcement: "x", ends_at: null, detected_at: timestamp } as const;
  return session.commit([{ type: "session.restriction", restriction: isRestricted ? restriction : null, timestamp }]);
}

const restricted = async (world: World) => {
  await restrict(world, true);
  await world.connection.send("oi", { to: NEW, ...WAITS });
};

const quotaUsedUp = (status: "none" | "capped") => async (world: World) => {
  const { connection, session } = world;
  await session.commit([{ type: "account.new_chat_quota", quota: { ...QUOTA, status } }]);
  if (status === "none") await set(world, { first_contacts: "hold" });
  await connection.send("oi", { to: NEW, ...WAITS });
};

const hourUsedUp = async (world: World) => {
  const { connection, session } = world;
  await set(world, { new_chats_per_hour: 1 });
  const sending = connection.send("oi");
  await taken(session);
  await sending;
  await connection.send("oi", { to: NEW, ...WAITS });
};

type Row = [name: string, hold: (world: World) => Promise<void>, wake: (world: World) => Promise<unknown>];

const fromThem = theirs("B", { chat_id: CHAT, sender: { phone: NEW, lid: null } });
const ROWS: Row[] = [
  ["the person writes, though new chats are forbidden", restricted, ({ session }) => session.commit([fromThem])],
  ["the person writes, though the quota is used up", quotaUsedUp("none"), ({ session }) => session.commit([fromThem])],
  ["the person writes, though the hour's new chats are used up", hourUsedUp, ({ session }) => session.commit([fromThem])],
  [
    "the person has written, and their phone number becomes known",
    restricted,
    async ({ session }) => {
      await session.commit([theirs("B", { chat_id: `${LID}@lid`, sender: { phone: null, lid: LID } })]);
      await session.commit([{ type: "lid.mapped", lid: LID, phone: NEW }]);
    },
  ],
  ["the owner writes to the person on the phone", restricted, ({ session }) => session.commit([mine("B", { chat_id: CHAT })])],
  [
    "another message to the person leaves",
    quotaUsedUp("capped"),
    async ({ connection, session }) => {
      void connection.send("agora", { to: NEW });
      await taken(session);
    },
  ],
  ["the restriction is lifted", restricted, (world) => restrict(world, false)],
  [
    "WhatsApp reports a new quota",
    quotaUsedUp("capped"),
    ({ session }) => session.commit([{ type: "account.new_chat_quota", quota: { ...QUOTA, used: 0 } }]),
  ],
  ["the owner no longer lets the quota decide", quotaUsedUp("none"), (world) => set(world, { first_contacts: "send" })],
  [
    "the number reconnects",
    async ({ connection, session }) => {
      await session.commit([event.closed("lost", 428)]);
      await connection.send("oi", { to: NEW, ...WAITS });
    },
    ({ session }) => session.commit([event.open()]),
  ],
];

describe.each([
  ["in memory", false],
  ["evicted in between", true],
])("a held send of an object %s leaves when", (_name, isEvicted) => {
  it.each(ROWS)("%s", async (_row, hold, wake) => {
    const world: World = await TestConnection.connected();
    const { connection, session } = world;
    await hold(world);
    await connection.alarm();
    expect(session.commands).toEqual([]);
    if (isEvicted) await connection.evict();
    await wake(world);
    await connection.alarm();
    expect((await taken(session)).chat_id).toBe(CHAT);
  });
});

it("a held send leaves when a new chat of this hour failed, and no longer counts", async () => {
  const world: World = await TestConnection.connected();
  const { connection, session } = world;
  await set(world, { new_chats_per_hour: 1 });
  const first = connection.send("oi", { message_id: idOf(1) });
  await session.answer("send");
  await connection.send("oi", { to: NEW, ...WAITS });
  await connection.alarm();
  expect(session.commands).toEqual([]);
  await session.settle(idOf(1), { kind: "refused", failure: { code: "number_not_on_network" } });
  expect(await first).toMatchObject({ code: "number_not_on_network" });
  await connection.alarm();
  expect((await taken(session)).chat_id).toBe(CHAT);
});

describe("a number that is off for an hour", () => {
  it("then sends all that may still go, in order and paced; the others have expired, with one event each", async () => {
    const world: World = await TestConnection.connected();
    const { connection, session } = world;
    await Receiver.of(connection);
    await set(world, { min_gap_ms: 20_000 });
    await session.commit([event.closed("lost", 428)]);
    const start = Date.now();
    const person = (n: number) => (n % 2 === 0 ? OTHER : NEW);
    const later = (n: number, at: number, until: number) =>
      connection.send(`${n}`, { to: person(n), message_id: idOf(n), delivery: { at: start + at, until: start + until } });
    // Accepted in a different order than their times. The second of each pair comes too late.
    for (const n of [3, 0, 2, 1]) {
      await later(2 * n, (1 + n) * 10 * MINUTE_MS, 24 * HOUR_MS);
      await later(2 * n + 1, (1 + n) * 10 * MINUTE_MS, (2 + n) * 10 * MINUTE_MS);
    }
    await connection.after(HOUR_MS);
    expect(session.commands).toEqual([]);
    await connection.evict();
    await session.commit([event.open()]);
    const leaves = async (n: number) => {
      const leaving = taken(session);
      await connection.after(5_000, { kept: true });
      expect((await leaving).message_id).toBe(idOf(n));
    };
    await leaves(0);
    for (const n of [2, 4, 6]) {
      await connection.after(14_000);
      expect(session.commands).toEqual([]);
      await leaves(n);
    }
    await connection.after(2 * HOUR_MS);
    expect(session.commands).toEqual([]);
    // Reads the stored events, because a webhook attempt may be repeated after an eviction.
    const events = await connection.sql<{ type: string; text: string }>(
      "SELECT type, text FROM delivery WHERE type LIKE 'message.%' ORDER BY seq",
    );
    expect(events.map(({ type, text }) => [type, /3EB0\d+/.exec(text)?.[0]])).toEqual([
      ...[1, 3, 5, 7].map((n) => ["message.status", idOf(n)]),
      ...[0, 2, 4, 6].map((n) => ["message.sent", idOf(n)]),
    ]);
    for (const n of [1, 3, 5, 7])
      expect(await connection.ask("messages.get", { message_id: idOf(n), chat_id: null })).toMatchObject({
        value: { status: "failed", failure: { code: "expired" } },
      });
  });
});

describe("a waiting send to a LID whose phone number becomes known", () => {
  const LATER = { to: null, chat_id: `${LID}@lid`, delivery: { at: null, until: null } };
  const theyWrite = () => theirs("B", { chat_id: `${LID}@lid`, sender: { phone: null, lid: LID } });
  const mapped = { type: "lid.mapped", lid: LID, phone: NEW } as const;

  it("is listed and cancelled with the chat", async () => {
    const { connection, session } = await TestConnection.connected();
    const at = Math.ceil(Date.now() / 1000) * 1000 + HOUR_MS;
    await connection.send("oi", { ...LATER, delivery: { at, until: null } });
    await session.commit([mapped]);
    const listed = await connection.ask("waiting.list", { chat_id: CHAT, limit: 50, cursor: null });
    expect(listed).toMatchObject({ value: { items: [{ chat_id: CHAT, text: "oi" }] } });
    expect(await connection.ask("waiting.cancel", { message_id: null, chat_id: CHAT })).toMatchObject({ value: { count: 1 } });
    await connection.after(HOUR_MS + 1_000, { kept: true });
    expect(session.commands).not.toContain("send");
  });

  it("leaves for a chat that is already known", async () => {
    const world = await TestConnection.connected();
    const { connection, session } = world;
    await session.commit([event.closed("lost", 428)]);
    await connection.send("1", { ...LATER, message_id: idOf(1) });
    await connection.send("2", { ...LATER, message_id: idOf(2), to: NEW, chat_id: null });
    await session.commit([theyWrite(), mapped]);
    await set(world, { reply_only: true });
    await session.commit([event.open()]);
    await connection.alarm();
    expect(await taken(session)).toMatchObject({ message_id: idOf(1), chat_id: CHAT });
    expect(await taken(session)).toMatchObject({ message_id: idOf(2), chat_id: CHAT });
  });
});
