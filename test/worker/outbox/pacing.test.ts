// An owner's pacing settings: which sends wait, which are refused, and which do not count (docs/use/apis.md, "Settings and pacing").
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { PacingSettings } from "@gateway/domain/messages/reachability.ts";
import type { FakeSession } from "../fakes/bridge.ts";
import { allEnded, OTHER, type Result, TestConnection } from "../fakes/connection.ts";
import { acknowledged, theirText } from "../fakes/messages.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";

const SECOND = 1_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(async () => {
  await allEnded();
  vi.useRealTimers();
});

async function paced(pacing: Partial<PacingSettings>) {
  const { connection, session } = await TestConnection.connected();
  const { settings } = connection.record;
  await connection.change({ settings: { ...settings, pacing: { ...settings.pacing, ...pacing } } });
  return { connection, session };
}

const person = (n: number) => `55119000001${String(n).padStart(2, "0")}`;

/** A message id as a caller could choose it. */
const idOf = (n: number) => `3EB0${String(n).padStart(18, "0")}`;

/** A send that the network accepts immediately. */
async function sent(connection: TestConnection, session: FakeSession, to: string): Promise<Result<unknown>> {
  const came = session.frames.seen("command");
  const sending = connection.send("oi", { to });
  const refused = await Promise.race([sending, came.then(() => null)]);
  if (refused !== null) return refused;
  const { id, input } = await session.frames.next("command", ({ name }) => name === "send");
  const { message_id } = JSON.parse(input) as { message_id: string };
  session.say({ type: "result", id, ok: true, value: "{}" });
  await session.settle(message_id, acknowledged(message_id, "oi", { chat_id: `${to}@c.us` }));
  return sending;
}

const codes = (results: readonly Result<unknown>[]) => results.map((result) => (result.ok ? "sent" : result.code));

describe("a clock that is set back", () => {
  it("refuses no send and delays none", async () => {
    const { connection, session } = await paced({ new_chats_per_hour: 1, min_gap_ms: 5_000 });
    const results = [await sent(connection, session, person(1))];
    vi.setSystemTime(Date.now() - HOUR_MS / 6);
    results.push(await sent(connection, session, person(2)));
    expect(codes(results)).toEqual(["sent", "sent"]);
  });
});

describe("new_chats_per_hour", () => {
  it("limits the chats that this number starts, and answers when the next one may be started", async () => {
    const { connection, session } = await paced({ new_chats_per_hour: 2 });
    const results = [];
    for (const n of [1, 2, 3]) results.push(await sent(connection, session, person(n)));
    expect(codes(results)).toEqual(["sent", "sent", "rate_limited"]);
    expect(results[2]).toMatchObject({ retryAfter: 3_600 });
    // These two chats are no longer new.
    expect(codes([await sent(connection, session, person(1))])).toEqual(["sent"]);
    vi.setSystemTime(Date.now() + HOUR_MS);
    expect(codes([await sent(connection, session, person(3))])).toEqual(["sent"]);
  });

  it("counts concurrent starts", async () => {
    const { connection, session } = await paced({ new_chats_per_hour: 1 });
    const sending = [1, 2, 3].map((n) => connection.send("oi", { to: person(n), message_id: idOf(n) }));
    await session.answer("send");
    await session.settle(idOf(1), acknowledged(idOf(1), "oi", { chat_id: `${person(1)}@c.us` }));
    expect(codes(await Promise.all(sending))).toEqual(["sent", "rate_limited", "rate_limited"]);
  });

  it("still counts a chat whose second message failed while the first one was under way", async () => {
    const { connection, session } = await paced({ new_chats_per_hour: 1 });
    const first = connection.send("oi", { to: person(1), message_id: idOf(1) });
    await session.answer("send");
    const second = connection.send("oi", { to: person(1), message_id: idOf(2) });
    await session.answer("send");
    await session.settle(idOf(2), { kind: "refused", failure: { code: "unavailable" } });
    expect(codes([await second])).toEqual(["unavailable"]);
    expect(codes([await connection.send("oi", { to: person(2) })])).toEqual(["rate_limited"]);
    await session.settle(idOf(1), { kind: "refused", failure: { code: "unavailable" } });
    expect(codes([await first])).toEqual(["unavailable"]);
    expect(codes([await sent(connection, session, person(2))])).toEqual(["sent"]);
  });

  it("does not count chats with incoming messages, groups, and sends that were certainly not sent", async () => {
    const { connection, session } = await paced({ new_chats_per_hour: 1 });
    await session.commit([{ type: "message.upsert", message: theirText("A", "oi"), origin: "live" }]);
    expect(codes([await sent(connection, session, OTHER)])).toEqual(["sent"]);
    const refused = connection.send("oi", { to: person(1), message_id: idOf(1) });
    await session.answer("send");
    await session.settle(idOf(1), { kind: "refused", failure: { code: "number_not_on_network" } });
    expect(codes([await refused])).toEqual(["number_not_on_network"]);
    expect(codes([await sent(connection, session, person(2)), await sent(connection, session, person(3))])).toEqual([
      "sent",
      "rate_limited",
    ]);
  });
});

describe("reply_only", () => {
  it("allows sends only to chats with incoming messages", async () => {
    const { connection, session } = await paced({ reply_only: true });
    expect(codes([await connection.send("oi", { to: OTHER })])).toEqual(["new_chat_refused"]);
    await session.commit([{ type: "message.upsert", message: theirText("A", "oi"), origin: "live" }]);
    expect(codes([await sent(connection, session, OTHER)])).toEqual(["sent"]);
    expect(codes([await connection.send("oi", { to: person(1) })])).toEqual(["new_chat_refused"]);
  });
});

describe("min_gap_ms", () => {
  it("makes sends wait for their turn, in order of arrival", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    const { connection, session } = await paced({ min_gap_ms: 10 * SECOND });
    const at: number[] = [];
    const start = Date.now();
    const sending = [1, 2, 3].map((n) => connection.send(`${n}`, { message_id: idOf(n) }));
    for (const n of [1, 2, 3]) {
      const dispatched = session.answer("send");
      if (n > 1) await connection.wait(10 * SECOND);
      expect(await dispatched).toMatchObject({ message_id: idOf(n) });
      at.push(Date.now() - start);
      await session.settle(idOf(n), acknowledged(idOf(n), `${n}`));
    }
    expect(codes(await Promise.all(sending))).toEqual(["sent", "sent", "sent"]);
    expect(at).toEqual([0, 10 * SECOND, 20 * SECOND]);
  });

  it("refuses a first contact if the number was restricted while the send waited for its turn", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    const { connection, session } = await paced({ min_gap_ms: 10 * SECOND });
    const first = connection.send("1", { message_id: idOf(1) });
    const second = connection.send("2", { to: person(2), message_id: idOf(2) });
    await session.answer("send");
    await session.settle(idOf(1), acknowledged(idOf(1), "1"));
    const restriction = { type: "new_chats_blocked", enforcement: "X", ends_at: null, detected_at: 1 } as const;
    await session.commit([{ type: "session.restriction", restriction, timestamp: 1 }]);
    await connection.wait(10 * SECOND);
    expect(codes([await first, await second])).toEqual(["sent", "temporarily_blocked"]);
  });

  it("refuses a send that would wait too long with Retry-After, and knows the last turn after a crash", async () => {
    const { connection, session } = await paced({ min_gap_ms: 60 * SECOND });
    expect(codes([await sent(connection, session, OTHER)])).toEqual(["sent"]);
    expect(await connection.send("again")).toMatchObject({ code: "rate_limited", retryAfter: 30 });
    await connection.crash();
    expect(await connection.send("again")).toMatchObject({ code: "rate_limited", retryAfter: 30 });
  });

  it("is kept after a crash, although the clock was set back before the last send", async () => {
    const { connection, session } = await paced({ min_gap_ms: 60 * SECOND });
    const results = [await sent(connection, session, person(1))];
    vi.setSystemTime(Date.now() - HOUR_MS / 6);
    results.push(await sent(connection, session, person(2)));
    expect(codes(results)).toEqual(["sent", "sent"]);
    await connection.crash();
    expect(await connection.send("again")).toMatchObject({ code: "rate_limited", retryAfter: 30 });
  });
});
