// Reachability, and what a send then does (docs/use/reachability.md, "Advice").
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { NewChatQuota } from "@gateway/protocol/events.ts";
import type { PacingSettings } from "@gateway/domain/messages/reachability.ts";
import type { Reachability } from "@gateway/protocol/operations/reachability.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { cloudConnection, FakeGraph } from "../cloud/cloud-world.ts";
import type { FakeSession } from "../fakes/bridge.ts";
import { allEnded, OTHER, TestConnection } from "../fakes/connection.ts";
import { ago, taken, theirs } from "../fakes/messages.ts";
import { Receiver } from "../fakes/receiver.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(async () => {
  await allEnded();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const person = (n: number) => `55119000001${String(n).padStart(2, "0")}`;
const ROOMY: NewChatQuota = { total: 50, used: 10, cycle_ends_at: null, status: "none" };
const usedUp = (ms: number): NewChatQuota => ({
  total: 50,
  used: 50,
  cycle_ends_at: Math.floor((Date.now() + ms) / 1000),
  status: "capped",
});

async function set(connection: TestConnection, pacing: Partial<PacingSettings>): Promise<void> {
  const { settings } = connection.record;
  await connection.change({ settings: { ...settings, pacing: { ...settings.pacing, ...pacing } } });
}

/** A connected number whose quota WhatsApp has just reported. */
async function world(pacing: Partial<PacingSettings> = {}, quota: NewChatQuota | null = ROOMY) {
  const { connection, session } = await TestConnection.connected();
  await set(connection, pacing);
  const read = connection.ask("instance.health", {});
  await session.answer("account.limits", { new_chat_quota: quota });
  await read;
  return { connection, session };
}

async function read(connection: TestConnection, phone: string): Promise<Reachability> {
  const answer = await connection.ask("contacts.reachability", { contact_id: `${phone}@c.us` });
  if (!answer.ok) throw new Error(answer.code);
  return answer.value;
}

/** WhatsApp is queried about this person, and nothing else. */
async function asked(connection: TestConnection, session: FakeSession, phone: string, exists = true): Promise<Reachability> {
  const answer = read(connection, phone);
  expect(await session.answer("contacts.check", { items: [{ phone, found: exists ? phone : null }] })).toEqual({ phones: [phone] });
  const found = await answer;
  expect(session.commands).toEqual([]);
  return found;
}

async function restrict(session: FakeSession, ms: number | null): Promise<number | null> {
  const now = Math.floor(Date.now() / 1000);
  const ends_at = ms === null ? null : now + ms / 1000;
  const restriction = { type: "new_chats_blocked", enforcement: "x", ends_at, detected_at: now } as const;
  await session.commit([{ type: "session.restriction", restriction, timestamp: now }]);
  return ends_at === null ? null : ends_at * 1000;
}

/** The bridge has responded, but the object may not have stored the response yet. Nothing would run an alarm set later. */
const limitsStored = (connection: TestConnection) =>
  vi.waitFor(async () =>
    expect(await connection.sql("SELECT 1 FROM account_limits WHERE checked_at > ?", Date.now() - 5 * MINUTE_MS)).toHaveLength(1),
  );

const send = (connection: TestConnection, n: number) => connection.send("oi", { to: person(n) });

async function waiting(connection: TestConnection) {
  const listed = await connection.ask("waiting.list", { chat_id: null, limit: 50, cursor: null });
  return listed.ok ? listed.value.items : [];
}

/** The network accepts the send. */
async function sent(connection: TestConnection, session: FakeSession, n: number): Promise<void> {
  const sending = send(connection, n);
  await taken(session);
  expect(await sending).toMatchObject({ ok: true, value: { to: person(n) } });
}

describe("before a send, reachability says", () => {
  it("send, to a new person within the quota", async () => {
    const { connection, session } = await world();
    expect(await asked(connection, session, person(1))).toEqual({
      exists: true,
      chat: "first_contact",
      last_inbound_at: null,
      session: "connected",
      restriction: null,
      new_chats: { left: 40, of: 50, until: null },
      window_until: null,
      advice: "send",
      why: null,
    });
    await sent(connection, session, 1);
    expect(await asked(connection, session, person(1))).toMatchObject({ chat: "known", advice: "send" });
  });

  it("send, to a person who has written, without asking the network, though new chats are forbidden", async () => {
    const { connection, session } = await world({ first_contacts: "refuse" });
    await session.commit([theirs("A")]);
    await restrict(session, HOUR_MS);
    await connection.evict();
    expect(await read(connection, OTHER)).toMatchObject({ exists: true, chat: "known", last_inbound_at: ago(5) * 1000, advice: "send" });
    expect(session.commands).toEqual([]);
    const sending = connection.send("oi");
    await taken(session);
    expect(await sending).toMatchObject({ ok: true });
  });

  it("do_not_send, to a number without WhatsApp", async () => {
    const { connection, session } = await world();
    expect(await asked(connection, session, person(1), false)).toMatchObject({
      exists: false,
      advice: "do_not_send",
      why: "not_on_whatsapp",
    });
  });

  it("do_not_send, while the owner only replies", async () => {
    const { connection, session } = await world({ reply_only: true });
    expect(await asked(connection, session, person(1))).toMatchObject({ advice: "do_not_send", why: "reply_only" });
    expect(await send(connection, 1)).toMatchObject({ code: "new_chat_refused" });
  });

  it("wait, while the number is disconnected", async () => {
    const connection = await TestConnection.create();
    expect(await read(connection, person(1))).toMatchObject({
      exists: null,
      session: "disconnected",
      new_chats: null,
      advice: "wait",
      why: "connection",
    });
    expect(await send(connection, 1)).toMatchObject({ code: "instance_not_connected" });
  });

  it("wait, while new chats are forbidden, and the send is refused", async () => {
    const { connection, session } = await world();
    const until = await restrict(session, HOUR_MS);
    await connection.evict();
    expect(await asked(connection, session, person(1))).toMatchObject({ restriction: { until }, advice: "wait", why: "restriction" });
    expect(await send(connection, 1)).toMatchObject({ code: "temporarily_blocked", retryAfter: 3_600 });
    await connection.after(HOUR_MS, { kept: true });
    const limits = session.answer("account.limits", { new_chat_quota: ROOMY });
    const later = read(connection, person(1));
    await session.answer("contacts.check", { items: [{ phone: person(1), found: person(1) }] });
    await limits;
    expect(await later).toMatchObject({ restriction: null, advice: "send" });
  });

  it("wait, when the owner's hourly limit is reached", async () => {
    const { connection, session } = await world({ new_chats_per_hour: 1 });
    await sent(connection, session, 1);
    await connection.evict();
    const until = Date.now() + HOUR_MS;
    expect(await asked(connection, session, person(2))).toMatchObject({
      new_chats: { left: 0, of: 1, until },
      advice: "wait",
      why: "new_chats_per_hour",
    });
    expect(await send(connection, 2)).toMatchObject({ code: "rate_limited", retryAfter: 3_600 });
  });

  it("wait, when WhatsApp's quota is used up, and only the setting `send` still tries", async () => {
    const { connection, session } = await world({ first_contacts: "refuse" }, usedUp(2 * HOUR_MS));
    await connection.evict();
    expect(await asked(connection, session, person(1))).toMatchObject({
      new_chats: { left: 0, of: 50 },
      advice: "wait",
      why: "new_chat_quota",
    });
    expect(await send(connection, 1)).toMatchObject({ code: "temporarily_blocked", details: { scope: "account" } });
    expect(session.commands).toEqual([]);
    await set(connection, { first_contacts: "send" });
    await sent(connection, session, 1);
  });
});

describe("`hold`", () => {
  it("turns first contacts beyond the quota into waiting sends, which leave when WhatsApp allows them", async () => {
    const { connection, session } = await world({ first_contacts: "hold" }, { ...ROOMY, used: 49 });
    const receiver = await Receiver.of(connection);
    const first = send(connection, 1);
    const leaving = taken(session);
    const others = await Promise.all([2, 3].map((n) => send(connection, n)));
    for (const held of others) expect(held).toMatchObject({ ok: true, value: { delivery: { until: Date.now() + DAY_MS } } });
    await leaving;
    expect(await first).toMatchObject({ ok: true });
    expect((await waiting(connection)).map(({ to, waits_for }) => [to, waits_for])).toEqual([
      [person(2), "restriction"],
      [person(3), "restriction"],
    ]);
    // An alarm of another component must not postpone the next request for the quota.
    await connection.after(9 * MINUTE_MS);
    await connection.evict();
    await connection.alarm();
    expect(session.commands).toEqual([]);
    const limits = session.answer("account.limits", { new_chat_quota: { ...ROOMY, used: 48 } });
    const arrived = [taken(session), taken(session)];
    await connection.after(2 * MINUTE_MS, { kept: true });
    await limits;
    await limitsStored(connection);
    await connection.after(MINUTE_MS, { kept: true });
    expect((await Promise.all(arrived)).map(({ chat_id }) => chat_id)).toEqual([`${person(2)}@c.us`, `${person(3)}@c.us`]);
    for (const _ of [1, 2, 3]) await receiver.next("message.sent");
    expect(await waiting(connection)).toEqual([]);
  });

  it("asks for the quota again if the last answer is dated in the future, because the clock was set back", async () => {
    vi.setSystemTime(Date.now() + DAY_MS);
    const { connection, session } = await world({ first_contacts: "hold" }, { ...ROOMY, used: 50 });
    vi.setSystemTime(Date.now() - DAY_MS);
    await connection.evict();
    const sending = send(connection, 1);
    await vi.waitFor(() => expect(session.commands).toEqual(["account.limits"]));
    const leaving = taken(session);
    await session.answer("account.limits", { new_chat_quota: ROOMY });
    expect((await leaving).chat_id).toBe(`${person(1)}@c.us`);
    expect(await sending).toMatchObject({ ok: true, value: { to: person(1) } });
  });

  it("lets a held send leave as soon as WhatsApp reports a new quota", async () => {
    const { connection, session } = await world({ first_contacts: "hold" }, { ...ROOMY, used: 50 });
    expect(await send(connection, 1)).toMatchObject({ ok: true, value: { delivery: { until: Date.now() + DAY_MS } } });
    await connection.alarm();
    expect(session.commands).toEqual([]);
    const leaving = taken(session);
    await session.commit([{ type: "account.new_chat_quota", quota: { ...ROOMY, used: 0 } }]);
    await connection.alarm();
    expect((await leaving).chat_id).toBe(`${person(1)}@c.us`);
  });

  it("holds a send until a restriction ends, after an eviction too", async () => {
    const { connection, session } = await world({ first_contacts: "hold" });
    await restrict(session, 2 * HOUR_MS);
    const held = await connection.send("oi", { to: person(1), message_id: "3EB0000000000000000001" });
    expect(held).toMatchObject({ ok: true, value: { delivery: { at: Date.now() } } });
    expect(await connection.send("oi", { to: person(1), message_id: "3EB0000000000000000001" })).toMatchObject({
      ok: true,
      replayed: true,
    });
    await connection.evict();
    const limits = session.answer("account.limits", { new_chat_quota: ROOMY });
    const leaving = taken(session);
    await connection.after(2 * HOUR_MS + MINUTE_MS, { kept: true });
    await limits;
    await limitsStored(connection);
    await connection.after(MINUTE_MS, { kept: true });
    expect((await leaving).message_id).toBe("3EB0000000000000000001");
  });

  it("refuses what it could not send within seven days, and what never ends by itself", async () => {
    const { connection, session } = await world({ first_contacts: "hold" }, usedUp(8 * DAY_MS));
    expect(await send(connection, 1)).toMatchObject({ code: "temporarily_blocked" });
    await set(connection, { reply_only: true });
    expect(await send(connection, 1)).toMatchObject({ code: "new_chat_refused" });
    expect(await waiting(connection)).toEqual([]);
    expect(session.commands).toEqual([]);
  });
});

describe("a Cloud API number", () => {
  it("advises a template while the 24-hour window is closed, and refuses texts to new people if set so", async () => {
    const graph = new FakeGraph();
    const connection = await cloudConnection();
    await set(connection, { first_contacts: "refuse" });
    expect(await read(connection, person(1))).toEqual({
      exists: null,
      chat: "first_contact",
      last_inbound_at: null,
      session: "connected",
      restriction: null,
      new_chats: null,
      window_until: null,
      advice: "use_template",
      why: "window_closed",
    });
    expect(await send(connection, 1)).toMatchObject({ code: "outside_service_window" });
    expect(graph.sends).toEqual([]);
    const content = { kind: "template", name: "hello", language: "pt_BR", components: null } as const;
    const sending = connection.send("", { to: person(1), content });
    (await graph.next()).accept("wamid.A");
    expect(await sending).toMatchObject({ ok: true, value: { type: "template" } });
  });
});
