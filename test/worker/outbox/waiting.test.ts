// Sends that wait for their time (docs/use/waiting-sends.md, "While the number cannot send").
import { Buffer } from "node:buffer";
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RemovedFiles } from "#root/durable-objects/connection/files/removed-files.ts";
import { Pacing } from "#root/durable-objects/connection/outbox/pacing.ts";
import { WaitingRows } from "#root/durable-objects/connection/waiting/waiting-rows.ts";
import { EventProjection } from "#root/durable-objects/connection/projection/event-projection.ts";
import { FILE_RULES } from "@gateway/domain/media/file-rules.ts";
import { makeMediaToken, mediaKey } from "@gateway/domain/media/media-link.ts";
import type { StoreFiles } from "@gateway/protocol/connection.ts";
import type { MediaRef } from "@gateway/protocol/content.ts";
import type { OperationInput } from "@gateway/protocol/operations.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { storeGivenFile } from "#root/src/services/media/given-file.ts";
import type { FakeSession } from "../fakes/bridge.ts";
import { allEnded, event, OTHER, TestConnection } from "../fakes/connection.ts";
import { acknowledged, taken, theirText } from "../fakes/messages.ts";
import { Receiver } from "../fakes/receiver.ts";

type Delivery = NonNullable<OperationInput<"messages.send">["delivery"]>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(async () => {
  await allEnded();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const idOf = (n: number) => `3EB0${String(n).padStart(18, "0")}`;
const person = (n: number) => `55119000001${String(n).padStart(2, "0")}`;
/** A time in whole seconds, as clients send it. */
const inMs = (ms: number) => Math.ceil(Date.now() / 1000) * 1000 + ms;

function later(
  connection: TestConnection,
  text: string,
  delivery: Partial<Delivery>,
  change: Partial<OperationInput<"messages.send">> = {},
) {
  return connection.send(text, { delivery: { at: null, until: null, ...delivery }, ...change });
}

async function waiting(connection: TestConnection, chat_id: string | null = null) {
  const listed = await connection.ask("waiting.list", { chat_id, limit: 50, cursor: null });
  return listed.ok ? listed.value.items : [];
}

const rowsOf = (connection: TestConnection) =>
  connection.sql<{ message_id: string }>("SELECT message_id FROM waiting_send ORDER BY at, accepted_at, message_id");

function nextCommitIsAppliedTwice(): void {
  const apply = EventProjection.prototype.apply;
  vi.spyOn(EventProjection.prototype, "apply").mockImplementationOnce(function (this: EventProjection, ...given) {
    apply.apply(this, given);
    throw new Error("another event of the commit failed");
  });
}

async function textOf(session: FakeSession): Promise<string> {
  const { content } = await taken(session);
  return content.kind === "text" ? content.text : content.kind;
}

describe("a waiting send", () => {
  it("is accepted at once, listed as waiting for its time, and leaves then, though the object was evicted", async () => {
    const { connection, session } = await TestConnection.connected();
    const receiver = await Receiver.of(connection);
    const at = inMs(HOUR_MS);
    const accepted = await later(connection, "oi", { at }, { message_id: idOf(1), reference: "pedido-1" });
    expect(accepted).toMatchObject({
      ok: true,
      value: { message_id: idOf(1), reference: "pedido-1", delivery: { at, until: at + DAY_MS } },
    });
    expect(await waiting(connection)).toMatchObject([{ message_id: idOf(1), type: "text", text: "oi", at, waits_for: "time" }]);
    expect(await connection.ask("messages.get", { message_id: idOf(1), chat_id: null })).toMatchObject({
      ok: true,
      value: { status: "pending", text: "oi" },
    });
    await connection.after(HOUR_MS - 2_000);
    expect(session.commands).not.toContain("send");
    const leaving = taken(session);
    await connection.after(3_000, { kept: true });
    expect((await leaving).message_id).toBe(idOf(1));
    expect((await receiver.next("message.sent")).data).toMatchObject({ message_id: idOf(1) });
    expect(await rowsOf(connection)).toEqual([]);
    expect(await waiting(connection)).toEqual([]);
  });

  it("is accepted while the number is disconnected, waits for the connection, and leaves with it in order", async () => {
    const connection = await TestConnection.create();
    for (const n of [1, 2, 3]) expect(await later(connection, `${n}`, {}, { message_id: idOf(n) })).toMatchObject({ ok: true });
    expect((await waiting(connection)).map((send) => send.waits_for)).toEqual(["connection", "connection", "connection"]);
    await connection.after(HOUR_MS);
    const bridge = await connection.bridge();
    await connection.ask("instance.connect", { force_new_pairing: false });
    const session = await bridge.open(connection.uuid);
    await session.commit([event.open()]);
    await connection.alarm();
    expect([await textOf(session), await textOf(session), await textOf(session)]).toEqual(["1", "2", "3"]);
  });

  it("expires with one event when the number comes back too late", async () => {
    const connection = await TestConnection.create();
    const receiver = await Receiver.of(connection);
    await later(connection, "cedo", { until: inMs(HOUR_MS) }, { message_id: idOf(1) });
    await later(connection, "tarde", { until: inMs(2 * HOUR_MS) }, { message_id: idOf(2), to: person(1) });
    await connection.after(HOUR_MS - MINUTE_MS);
    // An eviction could interrupt the webhook's attempt.
    await connection.after(MINUTE_MS + 5_000, { kept: true });
    expect((await receiver.next("message.status")).data).toMatchObject({ message_id: idOf(1), status: "failed" });
    const found = await connection.ask("messages.get", { message_id: idOf(1), chat_id: null });
    expect(found).toMatchObject({ ok: true, value: { status: "failed", failure: { code: "expired" } } });
    expect(await rowsOf(connection)).toEqual([{ message_id: idOf(2) }]);
    await connection.after(MINUTE_MS);
    expect(receiver.deliveries.filter(({ type }) => type === "message.status")).toEqual([]);
  });

  it("is answered once: the same id gets the same answer, and other content 409", async () => {
    const { connection, session } = await TestConnection.connected();
    const at = inMs(HOUR_MS);
    const first = await later(connection, "oi", { at }, { message_id: idOf(1) });
    const again = await later(connection, "oi", { at }, { message_id: idOf(1) });
    expect(again).toEqual({ ...first, replayed: true });
    expect(await later(connection, "tchau", { at }, { message_id: idOf(1) })).toMatchObject({ code: "content_differs" });
    expect(await rowsOf(connection)).toHaveLength(1);
    const leaving = taken(session);
    await connection.after(HOUR_MS + 1_000, { kept: true });
    await leaving;
    expect(await later(connection, "oi", { at }, { message_id: idOf(1) })).toMatchObject({ ok: true, value: { message_id: idOf(1) } });
    expect(await rowsOf(connection)).toHaveLength(0);
  });

  it("leaves once when the object dies between dispatch and outcome", async () => {
    const { connection, session } = await TestConnection.connected();
    await later(connection, "oi", {}, { message_id: idOf(1) });
    await connection.alarm();
    await session.answer("send");
    await connection.crash();
    const next = await session.redial();
    expect(await next.answer("recall")).toEqual({ message_ids: [idOf(1)] });
    await next.settle(idOf(1), acknowledged(idOf(1), "oi"));
    await connection.after(MINUTE_MS);
    expect(next.commands).not.toContain("send");
    expect(await rowsOf(connection)).toEqual([]);
  });

  it("waits again when the bridge never wrote it", async () => {
    const { connection, session } = await TestConnection.connected();
    const receiver = await Receiver.of(connection);
    await later(connection, "oi", {}, { message_id: idOf(1) });
    await connection.alarm();
    await session.answer("send");
    await connection.crash();
    const next = await session.redial();
    await next.answer("recall");
    const again = taken(next);
    await next.settle(idOf(1), { kind: "unknown" });
    await connection.alarm();
    expect((await again).message_id).toBe(idOf(1));
    expect((await receiver.next("message.sent")).data).toMatchObject({ message_id: idOf(1) });
    expect(receiver.deliveries.filter(({ type }) => type === "message.status")).toEqual([]);
  });
});

it("a chat's next send leaves although the disk was full when the one before it ended", async () => {
  const { connection, session } = await TestConnection.connected();
  for (const n of [1, 2]) await later(connection, `${n}`, {}, { message_id: idOf(n) });
  const lines = vi.spyOn(console, "log");
  const logged = () => lines.mock.calls.some(([line]) => String(line).includes("waiting.send_failed"));
  const ended = Pacing.prototype.ended;
  vi.spyOn(Pacing.prototype, "ended").mockImplementationOnce(function (this: Pacing, ...given) {
    ended.apply(this, given);
    vi.spyOn(WaitingRows.prototype, "find").mockImplementationOnce(() => {
      throw new Error("database or disk is full: SQLITE_FULL");
    });
  });
  await connection.alarm();
  const { message_id } = (await session.answer("send")) as { message_id: string };
  await session.settle(message_id, acknowledged(message_id, "1"));
  await vi.waitFor(() => expect(logged()).toBe(true), { timeout: 60_000 });
  await connection.alarm();
  expect(await textOf(session)).toBe("2");
});

describe("after an eviction", () => {
  it("a chat's next send waits for the one that the evicted instance dispatched, so that their order holds", async () => {
    const { connection, session } = await TestConnection.connected();
    for (const n of [1, 2]) await later(connection, `${n}`, {}, { message_id: idOf(n) });
    await connection.alarm();
    await session.answer("send");
    await connection.crash();
    const next = await session.redial();
    await next.answer("recall");
    await connection.alarm();
    expect(next.commands).not.toContain("send");
    await next.settle(idOf(1), { kind: "unknown" });
    await connection.alarm();
    expect([await textOf(next), await textOf(next)]).toEqual(["1", "2"]);
  });

  it("a send that the evicted instance dispatched counts towards the 20 under way, until it ends", async () => {
    const { connection, session } = await TestConnection.connected();
    for (let n = 1; n <= 21; n += 1) await later(connection, `${n}`, {}, { message_id: idOf(n), to: person(n) });
    await connection.alarm();
    for (let n = 1; n <= 20; n += 1) await session.answer("send");
    await connection.crash();
    const next = await session.redial();
    await next.answer("recall");
    await connection.alarm();
    expect(next.commands).not.toContain("send");
    const last = textOf(next);
    await next.settle(idOf(1), acknowledged(idOf(1), "1"));
    await connection.alarm();
    expect(await last).toBe("21");
  });
});

describe("a held send", () => {
  it("waits for the pacing gap, so that sends leave one after the other", async () => {
    const { connection, session } = await TestConnection.connected();
    const { settings } = connection.record;
    await connection.change({ settings: { ...settings, pacing: { ...settings.pacing, min_gap_ms: 10_000 } } });
    for (const n of [1, 2]) await later(connection, `${n}`, {}, { to: person(n) });
    await connection.alarm();
    expect(await textOf(session)).toBe("1");
    expect(await waiting(connection)).toMatchObject([{ text: "2", waits_for: "pace" }]);
    const second = textOf(session);
    await connection.after(10_000, { kept: true });
    expect(await second).toBe("2");
  });

  it("waits again after a rate limit of the network, without an event", async () => {
    const { connection, session } = await TestConnection.connected();
    const receiver = await Receiver.of(connection);
    await later(connection, "oi", {}, { message_id: idOf(1) });
    await connection.alarm();
    await session.answer("send");
    await session.settle(idOf(1), { kind: "refused", failure: { code: "network_rate_limited", attempted: true } });
    expect(await waiting(connection)).toMatchObject([{ message_id: idOf(1), waits_for: "pace" }]);
    await connection.after(30_000);
    expect(session.commands).not.toContain("send");
    const again = textOf(session);
    await connection.after(40_000, { kept: true });
    expect(await again).toBe("oi");
    expect(receiver.deliveries.filter(({ type }) => type === "message.status")).toEqual([]);
  });

  it("is stored once, with the pause, if the commit that reports the limit is applied twice", async () => {
    const { connection, session } = await TestConnection.connected();
    await later(connection, "oi", {}, { message_id: idOf(1) });
    await connection.alarm();
    await session.answer("send");
    nextCommitIsAppliedTwice();
    await session.settle(idOf(1), { kind: "refused", failure: { code: "network_rate_limited", attempted: true } });
    expect(await connection.sql("SELECT at FROM stored_time WHERE name = 'waiting_paused_until'")).toHaveLength(1);
    await connection.evict();
    await connection.after(30_000);
    expect(session.commands).not.toContain("send");
  });

  it("is tried again at once, as after one failure, if the commit that reports it is applied twice", async () => {
    const { connection, session } = await TestConnection.connected();
    await later(connection, "oi", {}, { message_id: idOf(1) });
    await connection.alarm();
    await session.answer("send");
    nextCommitIsAppliedTwice();
    await session.settle(idOf(1), { kind: "refused", failure: { code: "unavailable" } });
    await connection.alarm();
    expect(await rowsOf(connection)).toEqual([]);
    expect(await textOf(session)).toBe("oi");
  });

  it("leaves at once under the id of a cancelled send that WhatsApp had limited", async () => {
    const { connection, session } = await TestConnection.connected();
    await later(connection, "oi", {}, { message_id: idOf(1) });
    await connection.alarm();
    await session.answer("send");
    const failure = { code: "network_rate_limited", details: { scope: "recipient" }, attempted: true } as const;
    await session.settle(idOf(1), { kind: "refused", failure });
    await connection.ask("waiting.cancel", { message_id: idOf(1), chat_id: null });
    await later(connection, "oi", {}, { message_id: idOf(1) });
    await connection.alarm();
    expect(await rowsOf(connection)).toEqual([]);
    expect(await textOf(session)).toBe("oi");
  });

  it("fails once if WhatsApp refuses its recipient, because each attempt counts against the number", async () => {
    const { connection, session } = await TestConnection.connected();
    const receiver = await Receiver.of(connection);
    await later(connection, "oi", {}, { message_id: idOf(1) });
    await connection.alarm();
    await session.answer("send");
    const details = { scope: "recipient", ends_at: null };
    await session.settle(idOf(1), { kind: "refused", failure: { code: "temporarily_blocked", attempted: true, details } });
    expect((await receiver.next("message.status")).data).toMatchObject({ message_id: idOf(1), status: "failed" });
    await connection.after(HOUR_MS);
    expect(session.commands).not.toContain("send");
    expect(await rowsOf(connection)).toEqual([]);
  });

  it("is tried again later, not at once, if WhatsApp blocks the account without an end time", async () => {
    const { connection, session } = await TestConnection.connected();
    await later(connection, "oi", {}, { message_id: idOf(1) });
    await connection.alarm();
    await session.answer("send");
    const details = { scope: "account", ends_at: null };
    await session.settle(idOf(1), { kind: "refused", failure: { code: "temporarily_blocked", attempted: true, details } });
    expect(await waiting(connection)).toMatchObject([{ message_id: idOf(1) }]);
    await connection.after(9 * MINUTE_MS, { kept: true });
    expect(session.commands).not.toContain("send");
    const again = textOf(session);
    await connection.after(2 * MINUTE_MS, { kept: true });
    expect(await again).toBe("oi");
  });

  it("waits while WhatsApp declares the quota of new chats used up, until WhatsApp says otherwise", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([{ type: "message.upsert", message: theirText("A", "oi"), origin: "live" }]);
    await later(connection, "novo", {}, { message_id: idOf(1), to: person(1) });
    await connection.alarm();
    await session.answer("send");
    const cycle_ends_at = Math.floor(Date.now() / 1000) + 3_600;
    const quota = { total: 50, used: 50, cycle_ends_at, status: "capped" } as const;
    const details = { scope: "account", ends_at: null };
    const refused = { kind: "refused", failure: { code: "temporarily_blocked", attempted: true, retryAfter: 3_600, details } } as const;
    await session.commit([
      { type: "account.new_chat_quota", quota },
      { type: "send.settled", message_id: idOf(1), outcome: refused },
    ]);
    expect(await waiting(connection)).toMatchObject([{ message_id: idOf(1), waits_for: "restriction" }]);
    await later(connection, "conhecido", {}, { to: OTHER });
    await connection.alarm();
    expect(await textOf(session)).toBe("conhecido");
    await connection.after(11 * MINUTE_MS, { kept: true });
    expect(session.commands).not.toContain("send");
    const again = textOf(session);
    await session.commit([{ type: "account.new_chat_quota", quota: { ...quota, used: 0, status: "none" } }]);
    await connection.alarm();
    expect(await again).toBe("novo");
  });

  it("is retried with growing pauses while its bridge cannot send at all", async () => {
    const { connection, session } = await TestConnection.connected();
    await later(connection, "oi", {}, { message_id: idOf(1) });
    await connection.alarm();
    const fails = async () => {
      await session.answer("send");
      await session.settle(idOf(1), { kind: "refused", failure: { code: "unavailable" } });
    };
    await fails();
    await fails();
    expect(await waiting(connection)).toMatchObject([{ message_id: idOf(1) }]);
    expect(session.commands).not.toContain("send");
    for (const delay of [1_000, 2_000, 4_000]) {
      await connection.after(delay - 1, { kept: true });
      expect(session.commands).not.toContain("send");
      const again = fails();
      await connection.after(1, { kept: true });
      await again;
    }
  });

  it("is stored once when two calls with one id store their files at the same time, and the second file is deleted", async () => {
    const { connection } = await TestConnection.connected();
    const media: MediaRef = { token: "pending:0", mimetype: "", filename: null, size: 0 };
    const content = { kind: "image" as const, media, caption: "oi", view_once: false };
    const change = { content, delivery: { at: inMs(HOUR_MS), until: null }, message_id: idOf(1) };
    const both = Promise.withResolvers<void>();
    let storing = 0;
    const stored = (token: string) => async () => {
      if (++storing === 2) both.resolve();
      await both.promise;
      return { ok: true as const, value: [{ token, mimetype: "image/png", filename: null, size: 10 }] };
    };
    const removed = vi.spyOn(RemovedFiles.prototype, "add");
    const results = await Promise.all(["t1", "t2"].map((token) => connection.send("", change, {}, stored(token))));
    expect(results.map((result) => result.ok)).toEqual([true, true]);
    const [row] = await connection.sql<{ request: string }>("SELECT request FROM waiting_send");
    const kept = row?.request.includes('"t1"') === true ? "t1" : "t2";
    expect(removed.mock.calls).toEqual([[[kept === "t1" ? "t2" : "t1"]]]);
  });

  it("leaves no pending message behind when it was read under way and is cancelled afterwards", async () => {
    const { connection, session } = await TestConnection.connected();
    const read = () => connection.ask("messages.get", { message_id: idOf(1), chat_id: null });
    const media: MediaRef = { token: "pending:0", mimetype: "", filename: null, size: 0 };
    const content = { kind: "image" as const, media, caption: "oi", view_once: false };
    const delivery = { at: null, until: null };
    const file = { token: "t1", mimetype: "image/png", filename: null, size: 10 };
    await connection.send("", { content, delivery, message_id: idOf(1) }, {}, () => Promise.resolve({ ok: true as const, value: [file] }));
    await connection.alarm();
    await session.answer("send");
    expect(await read()).toMatchObject({ ok: true, value: { status: "pending" } });
    await session.settle(idOf(1), { kind: "refused", failure: { code: "network_rate_limited", attempted: true } });
    expect(await waiting(connection)).toMatchObject([{ message_id: idOf(1) }]);
    expect(await connection.sql("SELECT token FROM removed_files")).toEqual([]);
    await connection.ask("waiting.change", { message_id: idOf(1), text: "olá" });
    expect(await read()).toMatchObject({ ok: true, value: { status: "pending", text: "olá" } });
    await connection.ask("waiting.cancel", { message_id: idOf(1), chat_id: null });
    expect(await read()).toMatchObject({ code: "message_not_found" });
  });

  it("waits for the limit of new chats, which also counts a first message that may have been sent", async () => {
    const { connection, session } = await TestConnection.connected();
    const { settings } = connection.record;
    await connection.change({ settings: { ...settings, pacing: { ...settings.pacing, new_chats_per_hour: 1 } } });
    for (const n of [1, 2]) await later(connection, `${n}`, {}, { message_id: idOf(n), to: person(n) });
    await connection.alarm();
    await session.answer("send");
    await session.settle(idOf(1), { kind: "uncertain" });
    await connection.alarm();
    expect(session.commands).not.toContain("send");
    expect(await waiting(connection)).toMatchObject([{ text: "2", waits_for: "pace" }]);
  });

  it("waits for the end of a restriction of new chats, while sends to known chats leave", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([{ type: "message.upsert", message: theirText("A", "oi"), origin: "live" }]);
    const ends_at = Math.floor(Date.now() / 1000) + 600;
    const timestamp = Math.floor(Date.now() / 1000);
    await session.commit([
      {
        type: "session.restriction",
        restriction: { type: "new_chats_blocked", enforcement: "x", ends_at, detected_at: timestamp },
        timestamp,
      },
    ]);
    await later(connection, "novo", {}, { to: person(1) });
    await later(connection, "conhecido", {}, { to: OTHER });
    await connection.alarm();
    expect(await textOf(session)).toBe("conhecido");
    expect(await waiting(connection)).toMatchObject([{ text: "novo", waits_for: "restriction" }]);
    const held = textOf(session);
    await connection.after(601_000, { kept: true });
    expect(await held).toBe("novo");
  });

  it("waits while the account has no active subscription", async () => {
    const { connection, session } = await TestConnection.connected();
    await later(connection, "oi", { at: inMs(MINUTE_MS) });
    await connection.change({ subscription_active: false });
    await connection.after(2 * MINUTE_MS);
    expect(session.commands).not.toContain("send");
    expect(await waiting(connection)).toMatchObject([{ waits_for: "connection" }]);
  });
});

describe("a waiting send can", () => {
  it("get another time and another text until it leaves", async () => {
    const { connection, session } = await TestConnection.connected();
    const at = inMs(HOUR_MS);
    await later(connection, "oi", { at, until: at + HOUR_MS }, { message_id: idOf(1) });
    const change = (fields: object) => connection.ask("waiting.change", { message_id: idOf(1), ...fields });
    expect(await change({ at: at + HOUR_MS, text: "olá" })).toMatchObject({
      ok: true,
      value: { text: "olá", at: at + HOUR_MS, until: at + 2 * HOUR_MS },
    });
    expect(await change({ at: Date.now() - MINUTE_MS })).toMatchObject({ code: "validation_error" });
    expect(await change({ until: at })).toMatchObject({ code: "validation_error" });
    await connection.after(HOUR_MS + MINUTE_MS);
    expect(session.commands).not.toContain("send");
    const leaving = textOf(session);
    await connection.after(HOUR_MS, { kept: true });
    expect(await leaving).toBe("olá");
    expect(await change({ text: "tarde" })).toMatchObject({ code: "message_under_way" });
    expect(await connection.ask("waiting.change", { message_id: idOf(2), text: "x" })).toMatchObject({ code: "message_not_found" });
  });

  it("get another caption, within the limit of captions", async () => {
    const { connection } = await TestConnection.connected();
    const file = { token: "t1", mimetype: "image/png", filename: null, size: 10 };
    const content = { kind: "image" as const, media: file, caption: "oi", view_once: false };
    await later(connection, "", { at: inMs(HOUR_MS) }, { message_id: idOf(1), content });
    const change = (text: string) => connection.ask("waiting.change", { message_id: idOf(1), text });
    expect(await change("é".repeat(1_025))).toMatchObject({ code: "validation_error" });
    expect(await change("é".repeat(1_024))).toMatchObject({ ok: true });
  });

  it("be cancelled: one, those of a chat, or all, and again without an error", async () => {
    const { connection, session } = await TestConnection.connected();
    for (const n of [1, 2, 3, 4]) await later(connection, `${n}`, { at: inMs(HOUR_MS) }, { to: person(n % 2), message_id: idOf(n) });
    const cancel = async (message_id: string | null, chat_id: string | null = null) => {
      const done = await connection.ask("waiting.cancel", { message_id, chat_id });
      return done.ok ? done.value.count : done.code;
    };
    expect([await cancel(idOf(1)), await cancel(idOf(1))]).toEqual([1, 0]);
    expect([await cancel(null, `${person(0)}@c.us`), await cancel(null), await cancel(null)]).toEqual([2, 1, 0]);
    await connection.after(2 * HOUR_MS);
    expect(session.commands).not.toContain("send");
  });
});

describe("the file of a waiting send", () => {
  const image = (token: string, size = 10): MediaRef => ({ token, mimetype: "image/png", filename: null, size });
  const content = { kind: "image" as const, media: { ...image("pending:0", 0), mimetype: "" }, caption: null, view_once: false };
  const key = async (token: string) => (await env.MEDIA.list()).objects.map((object) => object.key).filter((name) => name.includes(token));

  it("is stored when it is accepted, until after its time, and deleted when it is cancelled", async () => {
    const connection = await TestConnection.create();
    const token = crypto.randomUUID().replaceAll("-", "");
    let storedForMs = 0;
    const store = async (retentionMs: number) => {
      storedForMs = retentionMs;
      await env.MEDIA.put(mediaKey(token), "png");
      return { ok: true as const, value: [image(token)] };
    };
    const delivery = { at: inMs(40 * DAY_MS), until: null };
    const accepted = await connection.send("", { content, delivery, message_id: idOf(1) }, {}, store);
    expect(accepted).toMatchObject({ ok: true, value: { type: "image" } });
    expect(storedForMs).toBeGreaterThan(41 * DAY_MS);
    expect(await waiting(connection)).toMatchObject([{ type: "image", media: { token } }]);
    expect(await key(token)).toHaveLength(1);
    await connection.ask("waiting.cancel", { message_id: idOf(1), chat_id: null });
    await connection.after(MINUTE_MS);
    await vi.waitFor(async () => expect(await key(token)).toEqual([]));
  });

  it.each([
    ["accepts one of two contents under one id whose files are stored at the same time", ["a", "b"], "content_differs"],
    ["accepts a repeated send whose file is still being stored once", ["a", "a"], null],
  ] as const)("%s", async (_name, captions, code) => {
    const connection = await TestConnection.create();
    const both = Promise.withResolvers<void>();
    let calls = 0;
    const store = async () => {
      calls += 1;
      if (calls === 2) both.resolve();
      await both.promise;
      return { ok: true as const, value: [image(crypto.randomUUID().replaceAll("-", ""))] };
    };
    const delivery = { at: inMs(HOUR_MS), until: null };
    const answers = await Promise.all(
      captions.map((caption) => connection.send("", { content: { ...content, caption }, delivery, message_id: idOf(1) }, {}, store)),
    );
    const first = answers.findIndex(({ ok, replayed }) => ok && replayed !== true);
    expect(answers[1 - first]).toMatchObject(code === null ? { ok: true, replayed: true } : { code });
    expect(await waiting(connection)).toMatchObject([{ text: captions[first] }]);
  });

  it("leaves as it was stored, though its address no longer answers then and the object was evicted", async () => {
    const { connection, session } = await TestConnection.connected();
    const picture = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
    const pages = [new Response(picture)];
    const outside = {
      policy: { own: [], loopback: false },
      fetch: () => Promise.resolve(pages.pop() ?? new Response(null, { status: 404 })),
    };
    const fetched: StoreFiles = async (retentionMs) => {
      const { uuid } = connection;
      const isRemoved = () => Promise.resolve(false);
      const storage = { bucket: env.MEDIA, appUrl: "https://app.example.com", connection: uuid, retentionMs, isRemoved, outside };
      const source = { url: "https://files.example.net/a.png" };
      const stored = await storeGivenFile(storage, { source, mimetype: null, filename: null, rule: FILE_RULES.image }, Date.now());
      return stored.ok ? { ok: true, value: [stored.value] } : stored;
    };
    const send = (n: number, at: number) =>
      connection.send("", { content, delivery: { at, until: null }, message_id: idOf(n) }, {}, fetched);
    expect(await send(1, inMs(HOUR_MS))).toMatchObject({ ok: true });
    expect(await send(2, inMs(HOUR_MS))).toMatchObject({ code: "media_unreachable" });
    await connection.after(HOUR_MS - MINUTE_MS);
    const leaving = taken(session);
    await connection.after(2 * MINUTE_MS, { kept: true });
    const { content: sent } = await leaving;
    const token = sent.kind === "image" ? sent.media.token : "";
    const stored = await env.MEDIA.get(mediaKey(token));
    expect(Buffer.from((await stored?.arrayBuffer()) ?? new ArrayBuffer(0))).toEqual(picture);
  });

  it("limits how far its time can be moved, because the file is not stored longer", async () => {
    const connection = await TestConnection.create();
    const token = makeMediaToken(crypto.getRandomValues(new Uint8Array(16)), connection.uuid, Date.now() + 9 * DAY_MS);
    const at = inMs(HOUR_MS);
    const store = () => Promise.resolve({ ok: true as const, value: [image(token)] });
    await connection.send("", { content, delivery: { at, until: null }, message_id: idOf(1) }, {}, store);
    const change = (fields: object) => connection.ask("waiting.change", { message_id: idOf(1), ...fields });
    expect(await change({ at: at + 6 * DAY_MS })).toMatchObject({ ok: true, value: { until: at + 7 * DAY_MS } });
    const refused = { code: "validation_error", issues: [{ field: "at" }] };
    expect(await change({ at: at + 30 * DAY_MS })).toMatchObject(refused);
    expect(await waiting(connection)).toMatchObject([{ at: at + 6 * DAY_MS }]);
  });

  it("counts towards 100 MB, beyond which nothing is stored", async () => {
    const connection = await TestConnection.create();
    const send = (n: number, size: number) =>
      connection.send("", { content, delivery: { at: null, until: null }, message_id: idOf(n) }, {}, () =>
        Promise.resolve({ ok: true as const, value: [image(`t${n}`, size)] }),
      );
    expect(await send(1, 100_000_000)).toMatchObject({ ok: true });
    expect(await send(2, 5_000_000)).toMatchObject({ code: "waiting_files_limit" });
    expect(await rowsOf(connection)).toHaveLength(1);
    expect(await send(3, 4_000_000)).toMatchObject({ ok: true });
  });
});

describe("the limits of waiting sends", () => {
  it("are 10,000 sends on one number", async () => {
    const connection = await TestConnection.create();
    await later(connection, "oi", { at: inMs(HOUR_MS) });
    await connection.sql(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
       INSERT INTO waiting_send SELECT message_id || i, chat_id, at, until, accepted_at, bytes, request, details FROM waiting_send, n`,
    );
    await connection.evict();
    expect(await later(connection, "mais um", {})).toMatchObject({ code: "waiting_limit" });
    expect(await rowsOf(connection)).toHaveLength(10_000);
  });

  it.each([
    ["delivery.at", { at: Date.now() - HOUR_MS }],
    ["delivery.at", { at: Date.now() + 400 * DAY_MS }],
    ["delivery.until", { until: Date.now() - HOUR_MS }],
    ["delivery.until", { until: Date.now() + 8 * DAY_MS }],
  ])("refuse %s %j, and store nothing", async (field, delivery) => {
    const connection = await TestConnection.create();
    const refused = await later(connection, "oi", delivery);
    expect(refused).toMatchObject({ code: "validation_error", issues: [{ field }] });
    expect(await rowsOf(connection)).toEqual([]);
  });

  it("cost a number without waiting sends no row and no alarm", async () => {
    const { connection, session } = await TestConnection.connected();
    const sending = connection.send("oi");
    await taken(session);
    await sending;
    const { rows, times } = await runInDurableObject(connection.stub, (_object, { storage: { sql } }) => ({
      rows: sql.exec("SELECT * FROM waiting_send").toArray(),
      times: sql.exec("SELECT * FROM stored_time WHERE name LIKE 'waiting%'").toArray(),
    }));
    expect([rows, times]).toEqual([[], []]);
  });
});
