// A connection counts each event once, in the same transaction.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { SendRequest } from "@gateway/protocol/content.ts";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";
import { connectionStub } from "#root/src/services/connections/stub.ts";
import type { FakeSession } from "../fakes/bridge.ts";
import { allEnded, event, OTHER, TestConnection } from "../fakes/connection.ts";
import { acknowledged, mine, taken, theirs } from "../fakes/messages.ts";
import { Receiver } from "../fakes/receiver.ts";
import { countsOf } from "./world.ts";

const START = Date.UTC(2035, 0, 1, 10, 20);

beforeEach(() => {
  vi.useFakeTimers({ now: START, toFake: ["Date"] });
});
afterEach(async () => {
  await allEnded();
  vi.restoreAllMocks();
});

/** A send that the bridge has received. */
async function asked(connection: TestConnection, session: FakeSession, change: Parameters<TestConnection["send"]>[1] = {}) {
  const sending = connection.send("hello", change);
  const { message_id } = (await session.answer("send")) as SendRequest;
  return { sending, message_id };
}

const receipt = (message_id: string): NetworkEvent => ({
  type: "message.status",
  chat_id: `${OTHER}@c.us`,
  message_id,
  status: "delivered",
  participant: null,
  timestamp: Math.floor(START / 1000),
});

describe("received messages", () => {
  it("count once, also when the bridge reports them again", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([theirs("A"), theirs("B", { type: "image" })]);
    await session.commit([theirs("A")]);
    await connection.crash();
    await (await session.redial()).commit([theirs("A"), theirs("B", { type: "image" }), theirs("C")]);
    expect(await countsOf(connection)).toEqual({ connected: 1, "received.text": 2, "received.image": 1 });
  });

  it("are not counted if they are history, status posts or written by the owner on the phone", async () => {
    const { connection, session } = await TestConnection.connected();
    const post = theirs("P", { chat_id: "status@broadcast" as never });
    await session.commit([{ ...theirs("H"), origin: "history" } as NetworkEvent, post, mine("M")]);
    expect(await countsOf(connection)).toEqual({ connected: 1 });
  });

  it("are not counted when their commit is rolled back", async () => {
    const { connection, session } = await TestConnection.connected();
    await connection.beforeStatements((query) => {
      if (query.startsWith("UPDATE progress SET seq")) throw new Error("no progress");
    });
    session.put([theirs("A")]);
    await session.frames.closed;
    vi.restoreAllMocks();
    await (await session.redial()).commit([theirs("A")]);
    expect(await countsOf(connection)).toMatchObject({ "received.text": 1 });
  });
});

describe("sends", () => {
  it("count as sent when the network accepts them, but actions do not count", async () => {
    const { connection, session } = await TestConnection.connected();
    const sending = connection.send("hello");
    const { message_id } = await taken(session);
    await sending;
    const target = { chat_id: `${OTHER}@c.us`, message_id, from_me: true, participant: null } as const;
    const reacting = connection.send("", { content: { kind: "reaction", target, reaction: "👍" } as never });
    await taken(session);
    await reacting;
    expect(await countsOf(connection)).toEqual({ connected: 1, "sent.text": 1 });
  });

  it("count as failed with their code when the network refuses them", async () => {
    const { connection, session } = await TestConnection.connected();
    const { sending, message_id } = await asked(connection, session);
    await session.settle(message_id, { kind: "refused", failure: { code: "temporarily_blocked" } });
    await sending;
    expect(await countsOf(connection)).toEqual({ connected: 1, "failed.text": 1, "error.temporarily_blocked": 1 });
  });

  it("count as nothing while uncertain, and as sent when a receipt proves it", async () => {
    const { connection, session } = await TestConnection.connected();
    const { sending, message_id } = await asked(connection, session);
    await session.settle(message_id, { kind: "uncertain" });
    expect(await sending).toMatchObject({ code: "send_outcome_unknown" });
    expect(await countsOf(connection)).toEqual({ connected: 1 });
    await session.commit([receipt(message_id)]);
    await session.settle(message_id, acknowledged(message_id, "hello"));
    expect(await countsOf(connection)).toEqual({ connected: 1, "sent.text": 1 });
  });

  it("count as failed after an hour without a proof, which a late one takes back from that hour", async () => {
    const { connection, session } = await TestConnection.connected();
    const { sending, message_id } = await asked(connection, session);
    await session.settle(message_id, { kind: "uncertain" });
    await sending;
    await connection.after(HOUR_MS + 1_000);
    expect(await countsOf(connection)).toMatchObject({ "failed.text": 1, "error.send_outcome_unknown": 1 });
    await connection.after(2 * HOUR_MS);
    await session.commit([theirs("A")]);
    await session.settle(message_id, acknowledged(message_id, "hello"));
    expect(await countsOf(connection)).toEqual({ connected: 1, "received.text": 1, "sent.text": 1 });
    const [failedIn] = await connection.sql<{ counts: string }>(
      "SELECT counts FROM counted_hour WHERE hour = ?",
      START - (START % HOUR_MS) + HOUR_MS,
    );
    expect(JSON.parse(failedIn?.counts ?? "null")).toEqual({});
  });

  it("count as nothing while they wait again, and once when they expire", async () => {
    const { connection, session } = await TestConnection.connected();
    const until = START + HOUR_MS;
    await connection.send("hello", { delivery: { at: null, until } });
    await connection.alarm();
    const { message_id } = (await session.answer("send")) as SendRequest;
    await session.settle(message_id, { kind: "refused", failure: { code: "network_rate_limited" } });
    expect(await countsOf(connection)).toEqual({ connected: 1 });
    session.drop();
    await connection.after(HOUR_MS + 1_000);
    expect(await countsOf(connection)).toMatchObject({ "failed.text": 1, "error.expired": 1 });
  });

  it("count by how they end if they are tried again under their id", async () => {
    const { connection, session } = await TestConnection.connected();
    const first = await asked(connection, session, { message_id: "3EB0A1B2C3D4E5F6A7B8C9" });
    await session.settle(first.message_id, { kind: "refused", failure: { code: "network_error" } });
    await first.sending;
    expect(await countsOf(connection)).toMatchObject({ "failed.text": 1, "error.network_error": 1 });
    const second = await asked(connection, session, { message_id: "3EB0A1B2C3D4E5F6A7B8C9" });
    expect(await countsOf(connection)).toEqual({ connected: 1 });
    await session.settle(second.message_id, acknowledged(second.message_id, "hello"));
    expect(await second.sending).toMatchObject({ ok: true });
    expect(await countsOf(connection)).toEqual({ connected: 1, "sent.text": 1 });
  });

  it("move from accepted to failed if they fail later, and back if a receipt proves otherwise", async () => {
    const { connection, session } = await TestConnection.connected();
    const { sending, message_id } = await asked(connection, session);
    await session.settle(message_id, acknowledged(message_id, "hello"));
    expect(await sending).toMatchObject({ ok: true });
    await connection.after(HOUR_MS);
    await session.commit([
      theirs("A"),
      { ...receipt(message_id), status: "failed", failure: { code: "outside_service_window" } } as NetworkEvent,
    ]);
    const failed = { "failed.text": 1, "error.outside_service_window": 1 };
    expect(await countsOf(connection)).toEqual({ connected: 1, "received.text": 1, ...failed });
    await connection.crash();
    await (await session.redial()).commit([receipt(message_id)]);
    expect(await countsOf(connection)).toEqual({ connected: 1, "received.text": 1, "sent.text": 1 });
  });

  it("count once when object and bridge are killed in between", async () => {
    const { connection, session } = await TestConnection.connected();
    const { sending, message_id } = await asked(connection, session);
    const lost = sending.catch(() => undefined);
    await connection.crash();
    await lost;
    const again = await session.redial();
    await again.settle(message_id, acknowledged(message_id, "hello"));
    await again.settle(message_id, acknowledged(message_id, "hello"));
    await connection.crash();
    await (await again.redial()).commit([receipt(message_id)]);
    expect(await countsOf(connection)).toEqual({ connected: 1, "sent.text": 1 });
  });
});

describe("calls", () => {
  it("count by their code if they fail through no fault of the caller's, and not otherwise", async () => {
    const { connection, session } = await TestConnection.connected();
    const reading = connection.ask("channels.get", { channel_id: "120363041234567890@newsletter", invite: null });
    await session.refuse("channels.get", { code: "network_timeout" });
    expect(await reading).toMatchObject({ code: "network_timeout" });
    await connection.ask("messages.get", { message_id: "unknown", chat_id: null });
    expect(await countsOf(connection)).toEqual({ connected: 1, "error.network_timeout": 1 });
  });
});

describe("connected time", () => {
  it("is counted by its changes, and a number that stays connected counts nothing more", async () => {
    const { connection, session } = await TestConnection.connected();
    expect(await countsOf(connection)).toEqual({ connected: 1 });
    await connection.after(5 * HOUR_MS);
    expect(await countsOf(connection)).toEqual({ connected: 1 });
    await session.commit([event.closed("lost"), event.open()]);
    await connection.ask("instance.disconnect", {});
    expect(await countsOf(connection)).toEqual({ connected: 2, disconnected: 2 });
  });

  it("begins when the object wakes if the number was connected before anything was counted", async () => {
    const { connection } = await TestConnection.connected();
    await connection.sql("UPDATE progress SET counts = NULL");
    await connection.crash();
    await connection.status();
    expect(await countsOf(connection)).toEqual({ connected: 1 });
  });
});

it("counting a message or the end of a send writes no additional row", async () => {
  const { connection, session } = await TestConnection.connected();
  const rows: string[] = [];
  await connection.beforeStatements((query) => {
    if (/progress|counted_hour/.test(query) && !query.startsWith("SELECT")) rows.push(query);
  });
  await session.commit([theirs("A"), theirs("B")]);
  const sending = connection.send("hello");
  await taken(session);
  await sending;
  expect(rows).toEqual(Array.from({ length: 2 }, () => expect.stringMatching(/^UPDATE progress SET seq/)));
  expect(await countsOf(connection)).toMatchObject({ "received.text": 2, "sent.text": 1 });
});

describe("the delivery of an event", () => {
  const ended = (connection: TestConnection, count: number) =>
    vi.waitFor(async () => expect(await connection.sql("SELECT 1 FROM delivery WHERE settled_at IS NOT NULL")).toHaveLength(count), {
      timeout: 60_000,
    });

  async function delivered(): Promise<{ connection: TestConnection; session: FakeSession; receiver: Receiver }> {
    const { connection, session } = await TestConnection.connected();
    const receiver = await Receiver.of(connection);
    await session.commit([theirs("A")]);
    await receiver.next("message.received");
    await ended(connection, 1);
    return { connection, session, receiver };
  }

  it("is counted in its own row, and its end with the next event", async () => {
    const { connection, session } = await delivered();
    expect(await countsOf(connection)).toMatchObject({ deliveries: 1 });
    await session.commit([theirs("B")]);
    expect(await countsOf(connection)).toMatchObject({ deliveries: 2, attempts: 1, delivered: 1 });
  });

  it("is counted once after a crash", async () => {
    const { connection, session, receiver } = await delivered();
    await connection.crash();
    const again = await session.redial();
    await again.commit([theirs("B")]);
    await receiver.next("message.received");
    await ended(connection, 2);
    expect(await countsOf(connection)).toMatchObject({ deliveries: 2, attempts: 1, delivered: 1 });
    await connection.crash();
    await (await again.redial()).commit([theirs("C")]);
    expect(await countsOf(connection)).toMatchObject({ deliveries: 3, attempts: 2, delivered: 2 });
  });

  it("is counted in the hour of its end, also when that has passed at a crash", async () => {
    const { connection } = await delivered();
    await connection.crash();
    vi.setSystemTime(START + HOUR_MS);
    await connectionStub(env as never, connection.uuid).pushStatistics();
    await connection.crash();
    const [hour] = await connection.sql<{ counts: string }>("SELECT counts FROM counted_hour");
    expect(JSON.parse(hour?.counts ?? "{}")).toMatchObject({ deliveries: 1, attempts: 1, delivered: 1 });
    vi.setSystemTime(START + HOUR_MS + 1_000);
    await connectionStub(env as never, connection.uuid).pushStatistics();
    expect(await countsOf(connection)).toMatchObject({ deliveries: 1, attempts: 1, delivered: 1 });
  });
});
