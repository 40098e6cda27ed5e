// A send is stored, dispatched once, and settled by the network's acknowledgement.
import { afterEach, describe, expect, it, vi } from "vitest";
import { RemovedFiles } from "#root/durable-objects/connection/files/removed-files.ts";
import { pendingMedia, type SendRequest } from "@gateway/protocol/content.ts";
import type { StoreFiles } from "@gateway/protocol/connection.ts";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import type { OperationInput } from "@gateway/protocol/operations.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import type { FakeSession } from "../fakes/bridge.ts";
import { allEnded, event, OTHER, TestConnection } from "../fakes/connection.ts";
import { acknowledged, ownText, theirText } from "../fakes/messages.ts";
import { Receiver } from "../fakes/receiver.ts";

afterEach(async () => {
  await allEnded();
  vi.restoreAllMocks();
});

/** The bridge's send request, which the network then accepts. */
async function taken(session: FakeSession, sending: Promise<unknown>): Promise<SendRequest> {
  const request = (await session.answer("send")) as SendRequest;
  await session.settle(request.message_id, acknowledged(request.message_id, "hello"));
  expect(await sending).toMatchObject({ ok: true });
  return request;
}

it("two calls with one id that store their files at the same time send once, and one file is deleted", async () => {
  const { connection, session } = await TestConnection.connected();
  const content = { kind: "image" as const, media: pendingMedia(0), caption: "hello", view_once: false };
  const both = Promise.withResolvers<void>();
  let storing = 0;
  const stored = (token: string) => async () => {
    if (++storing === 2) both.resolve();
    await both.promise;
    return { ok: true as const, value: [{ token, mimetype: "image/png", filename: null, size: 10 }] };
  };
  const removed = vi.spyOn(RemovedFiles.prototype, "add");
  const change = { content, message_id: "3EB0000000000000000001" };
  const sending = Promise.all(["t1", "t2"].map((token) => connection.send("", change, {}, stored(token))));
  const request = JSON.stringify(
    await taken(
      session,
      sending.then(([first]) => first),
    ),
  );
  expect(await sending).toMatchObject([{ ok: true }, { ok: true }]);
  expect(removed.mock.calls).toEqual([[[request.includes('"t1"') ? "t2" : "t1"]]]);
});

describe("the file of a send that fails before it is dispatched", () => {
  const content = { kind: "image" as const, media: pendingMedia(0), caption: "hello", view_once: false };
  const file = { token: "t1", mimetype: "image/png", filename: null, size: 10 };
  const tooFast = async (storeFiles: StoreFiles) => {
    const { connection, session } = await TestConnection.connected();
    const { settings } = connection.record;
    await connection.change({ settings: { ...settings, pacing: { ...settings.pacing, min_gap_ms: 60_000 } } });
    await taken(session, connection.send("hello"));
    return connection.send("", { content }, {}, storeFiles);
  };
  const stored: StoreFiles = async () => ({ ok: true, value: [file] });

  it("is deleted", async () => {
    const removed = vi.spyOn(RemovedFiles.prototype, "add");
    expect(await tooFast(stored)).toMatchObject({ ok: false, code: "rate_limited" });
    expect(removed.mock.calls).toEqual([[["t1"]]]);
  });

  it("does not hide the reason when the disk is full", async () => {
    vi.spyOn(RemovedFiles.prototype, "add").mockImplementation(() => {
      throw new Error("database or disk is full: SQLITE_FULL");
    });
    expect(await tooFast(stored)).toMatchObject({ ok: false, code: "rate_limited" });
  });
});

describe("a text", () => {
  it("carries the timer of its chat, which a new bridge does not know yet", async () => {
    const { connection, session } = await TestConnection.connected();
    const set = (disappearing_seconds: number): NetworkEvent => ({ type: "chat.updated", chat_id: `${OTHER}@c.us`, disappearing_seconds });
    await session.commit([set(604_800)]);
    expect(await taken(session, connection.send("for a week"))).toMatchObject({ disappearing_seconds: 604_800 });
    await session.commit([set(0)]);
    expect(await taken(session, connection.send("to stay"))).not.toHaveProperty("disappearing_seconds");
  });

  it("is answered by the network's acknowledgement, and reported as sent", async () => {
    const { connection, session } = await TestConnection.connected();
    const receiver = await Receiver.of(connection);
    const sending = connection.send("hello", { reference: "order 7" });
    const request = (await session.answer("send")) as SendRequest;
    expect(request).toMatchObject({ chat_id: `${OTHER}@c.us`, content: { kind: "text", text: "hello" }, quoted: null, typing_ms: 0 });
    expect(request.message_id).toMatch(/^3EB0[0-9A-F]{18}$/);
    await session.settle(request.message_id, acknowledged(request.message_id, "hello"));
    expect(await sending).toEqual({
      ok: true,
      value: {
        message_id: request.message_id,
        chat_id: `${OTHER}@c.us`,
        to: OTHER,
        to_resolved: null,
        is_group: false,
        type: "text",
        reference: "order 7",
        timestamp: 1_900_000_001,
      },
    });
    expect((await receiver.next("message.sent")).data).toMatchObject({
      message_id: request.message_id,
      source: "api",
      reference: "order 7",
    });
  });

  it("is stored as the network accepted it, also when its receipt comes with the acknowledgement", async () => {
    const { connection, session } = await TestConnection.connected();
    const receiver = await Receiver.of(connection);
    const sending = connection.send("hello");
    const { message_id } = (await session.answer("send")) as SendRequest;
    const read: NetworkEvent = {
      type: "message.status",
      chat_id: `${OTHER}@c.us`,
      message_id,
      status: "read",
      participant: null,
      timestamp: 1_900_000_002,
    };
    await session.commit([{ type: "send.settled", message_id, outcome: acknowledged(message_id, "as it went") }, read]);
    expect(await sending).toMatchObject({ ok: true });
    expect((await receiver.next("message.sent")).data).toMatchObject({ message_id, text: "as it went" });
    expect(await connection.ask("messages.get", { message_id, chat_id: null })).toMatchObject({
      value: { status: "read", text: "as it went" },
    });
    // The network's own encoding allows the message to be quoted.
    const answering = connection.send("answer", { quoted_message_id: message_id });
    expect(await taken(session, answering)).toMatchObject({ quoted: { ref: { message_id } } });
  });

  it("names the number that the network knows, when it is another one", async () => {
    const { connection, session } = await TestConnection.connected();
    const sending = connection.send("oi", { to: "5511987654321" });
    const { message_id } = (await session.answer("send")) as SendRequest;
    const chat_id = "551187654321@c.us";
    await session.settle(message_id, { ...acknowledged(message_id, "oi", { chat_id }), to_resolved: "551187654321" } as never);
    expect(await sending).toMatchObject({ value: { to: "5511987654321", to_resolved: "551187654321", chat_id } });
  });

  it("can be read as pending before the network answers", async () => {
    const { connection, session } = await TestConnection.connected();
    const sending = connection.send("hello");
    const { message_id } = (await session.answer("send")) as SendRequest;
    expect(await connection.ask("messages.get", { message_id, chat_id: null })).toMatchObject({
      value: { status: "pending", source: "api" },
    });
    await session.settle(message_id, acknowledged(message_id, "hello"));
    await sending;
    expect(await connection.ask("messages.get", { message_id, chat_id: null })).toMatchObject({ value: { status: "sent" } });
  });

  it.each([
    {
      what: "a status post",
      chat_id: "status@broadcast",
      send: (connection: TestConnection) =>
        connection.ask("statuses.post", {
          content: { kind: "text", text: "hello", preview: null },
          background: null,
          font: null,
          recipients: [OTHER],
        }),
    },
    {
      what: "a channel's post",
      chat_id: "120363144038483540@newsletter",
      send: (connection: TestConnection, chat_id: string) => connection.send("hello", { to: null, chat_id }),
    },
  ])("can be looked up by its id while its outcome is unknown, also $what", async ({ chat_id, send }) => {
    const { connection, session } = await TestConnection.connected();
    const sending = send(connection, chat_id);
    const { message_id } = (await session.answer("send")) as SendRequest;
    await session.settle(message_id, { kind: "uncertain" });
    expect(await sending).toMatchObject({ code: "send_outcome_unknown", details: { message_id } });
    const state = () => connection.ask("messages.get", { message_id, chat_id: null });
    expect(await state()).toMatchObject({ value: { status: "pending", chat_id } });
    await session.settle(message_id, acknowledged(message_id, "hello", { chat_id }));
    expect(await state()).toMatchObject({ value: { status: "sent", chat_id } });
  });

  it.each([
    ["refused by the network", { code: "temporarily_blocked", retryAfter: 60, details: { scope: "recipient" } }, "bloqueio_temporario"],
    ["to an unknown number", { code: "number_not_on_network" }, "numero_sem_conta"],
  ] as const)("fails with the network's refusal, which an event reports to other subscribers: %s", async (_what, failure, codigo) => {
    const { connection, session } = await TestConnection.connected();
    const receiver = await Receiver.of(connection);
    const sending = connection.send("hello");
    const { message_id } = (await session.answer("send")) as SendRequest;
    await session.settle(message_id, { kind: "refused", failure });
    expect(await sending).toMatchObject({ ok: false, code: failure.code, details: { message_id } });
    expect((await receiver.next("message.status")).data).toMatchObject({ message_id, status: "failed", error: { codigo } });
  });

  it("is reported only to its caller if the bridge does not accept it, because it was certainly not sent", async () => {
    const { connection, session } = await TestConnection.connected();
    const receiver = await Receiver.of(connection);
    const sending = connection.send("hello");
    const { message_id } = (await session.answer("send")) as SendRequest;
    await session.settle(message_id, { kind: "refused", failure: { code: "instance_reconnecting", retryAfter: 3 } });
    expect(await sending).toMatchObject({ code: "instance_reconnecting", retryAfter: 3 });

    const next = connection.send("hello again");
    const request = (await session.answer("send")) as SendRequest;
    await session.settle(request.message_id, { kind: "refused", failure: { code: "number_not_on_network" } });
    await next;
    expect((await receiver.next("message.status")).data).toMatchObject({ message_id: request.message_id, status: "failed" });
    expect(receiver.deliveries).toEqual([]);
  });

  it("is refused at once while the number is not connected", async () => {
    const connection = await TestConnection.create();
    expect(await connection.send("hello")).toEqual({ ok: false, code: "instance_not_connected" });
    expect(await connection.sql("SELECT * FROM outbox")).toEqual([]);
  });

  it("waits for a reconnect, and is sent after it", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([event.closed("lost", 428)]);
    const sending = connection.send("hello");
    await session.commit([event.open()]);
    const { message_id } = (await session.answer("send")) as SendRequest;
    await session.settle(message_id, acknowledged(message_id, "hello"));
    expect(await sending).toMatchObject({ ok: true });
  });

  it("does not wait for a reconnect that is known to come too late", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { connection, session } = await TestConnection.connected();
    await session.commit([event.closed("lost", 428)]);
    const timestamp = Math.floor(Date.now() / 1000);
    await session.commit([{ type: "session.reconnecting", attempt: 7, next_at: timestamp + 120, timestamp }]);
    const refused = await connection.send("hello");
    expect(refused).toMatchObject({ code: "instance_reconnecting" });
    expect("retryAfter" in refused && refused.retryAfter).toBeGreaterThan(110);
  });
});

describe("the same message id", () => {
  it("makes one message if it is sent 20 times concurrently", async () => {
    const { connection, session } = await TestConnection.connected();
    const message_id = "ABCDEF0123456789";
    const sending = Array.from({ length: 20 }, () => connection.send("hello", { message_id }));
    await session.answer("send");
    await session.settle(message_id, acknowledged(message_id, "hello"));
    const results = await Promise.all(sending);
    const first = results.find(({ replayed }) => replayed === undefined);
    expect(first).toMatchObject({ ok: true });
    expect(results.filter(({ replayed }) => replayed === true)).toEqual(Array.from({ length: 19 }, () => ({ ...first, replayed: true })));
    expect(session.frames.rest).toEqual([]);
    expect(await connection.send("hello", { message_id })).toEqual({ ...first, replayed: true });
    expect(session.frames.rest).toEqual([]);
  });

  it("is sent anew after a refusal: nothing was sent", async () => {
    const { connection, session } = await TestConnection.connected();
    const message_id = "ABCDEF0123456789";
    const first = connection.send("hello", { message_id });
    await session.answer("send");
    await session.settle(message_id, { kind: "refused", failure: { code: "network_rate_limited", retryAfter: 60 } });
    expect(await first).toMatchObject({ code: "network_rate_limited" });
    const second = connection.send("hello", { message_id });
    await session.answer("send");
    await session.settle(message_id, acknowledged(message_id, "hello"));
    expect(await second).toMatchObject({ ok: true });
  });
});

describe("a message id that its caller chose", () => {
  const message_id = "ABCDEF0123456789";
  const differs = { ok: false, code: "content_differs", details: { message_id } };
  const image = { kind: "image", media: pendingMedia(0), caption: null, view_once: false } as const;

  async function sent() {
    const { connection, session } = await TestConnection.connected();
    const sending = connection.send("first", { message_id });
    await session.answer("send");
    await session.settle(message_id, acknowledged(message_id, "first"));
    const first = await sending;
    expect(first).toMatchObject({ ok: true, value: { message_id } });
    return { connection, session, first };
  }

  it("stands for one content: the same gets the first answer, anything else is refused", async () => {
    const { connection, session, first } = await sent();
    const again = { ...first, replayed: true };
    expect(await connection.send("first", { message_id })).toEqual(again);
    // This call names the same chat; "typing" and the caller's reference are not content.
    expect(await connection.send("first", { message_id, to: null, chat_id: `${OTHER}@c.us` })).toEqual(again);
    expect(await connection.send("first", { message_id, reference: "r", typing_ms: 500 })).toEqual(again);
    const others: Partial<OperationInput<"messages.send">>[] = [
      { to: "5511900000077" },
      { mention_all: true },
      { mentions: [OTHER] },
      { quoted_message_id: message_id },
      { content: image },
      { content: { kind: "poll", poll: { question: "first", options: ["a", "b"], selectable_count: 1 } } },
      { content: { kind: "location", location: { latitude: 1, longitude: 2, name: "first", address: null } } },
    ];
    expect(await connection.send("second", { message_id })).toEqual(differs);
    for (const other of others) expect(await connection.send("first", { message_id, ...other })).toEqual(differs);
    expect(session.frames.rest).toEqual([]);
    expect(await connection.ask("messages.get", { message_id, chat_id: null })).toMatchObject({ value: { text: "first", status: "sent" } });
  });

  it("is remembered over a restart", async () => {
    const { connection, session, first } = await sent();
    await connection.crash();
    await session.redial();
    expect(await connection.send("second", { message_id })).toEqual(differs);
    expect(await connection.send("first", { message_id })).toEqual({ ...first, replayed: true });
  });

  // Later releases compare their digests with stored ones, so a different format would refuse retries across an upgrade.
  it("is stored with a digest of a lasting form", async () => {
    const { connection } = await sent();
    const stored = await connection.sql<{ content: string }>("SELECT json_extract(details, '$.content') AS content FROM outbox");
    expect(stored).toEqual([{ content: "eeb4c6e9dba96823705ac19e16a1536a0e32c6832610d74d24ce0a9b1406d24c" }]);
  });

  it("is refused to another content while the first is on its way, uncertain or refused", async () => {
    const { connection, session } = await TestConnection.connected();
    const sending = connection.send("first", { message_id });
    await session.answer("send");
    expect(await connection.send("second", { message_id })).toEqual(differs);
    await session.settle(message_id, { kind: "uncertain" });
    expect(await sending).toMatchObject({ code: "send_outcome_unknown" });
    expect(await connection.send("second", { message_id })).toEqual(differs);
    expect(await connection.send("first", { message_id })).toMatchObject({ code: "send_outcome_unknown", replayed: true });
    await session.settle(message_id, { kind: "refused", failure: { code: "network_rate_limited" } });
    expect(await connection.send("second", { message_id })).toEqual(differs);
    const retried = connection.send("first", { message_id });
    await session.answer("send");
    await session.settle(message_id, acknowledged(message_id, "first"));
    expect(await retried).toMatchObject({ ok: true });
    expect("replayed" in (await retried)).toBe(false);
  });

  it("identifies the whole request if it has a file, and a repeated call stores nothing", async () => {
    const { connection, session } = await TestConnection.connected();
    let stored = 0;
    const store = async () => {
      stored += 1;
      return { ok: true as const, value: [{ token: "t", mimetype: "image/png", filename: null, size: 1 }] };
    };
    const sending = connection.send("", { message_id, content: image }, { fingerprint: "one" }, store);
    await session.answer("send");
    await session.settle(message_id, acknowledged(message_id, "", { type: "image" }));
    const first = await sending;
    expect(await connection.send("", { message_id, content: image }, { fingerprint: "one" }, store)).toEqual({ ...first, replayed: true });
    expect(await connection.send("", { message_id, content: image }, { fingerprint: "two" }, store)).toEqual(differs);
    expect(stored).toBe(1);
  });

  it("is not the id of a message that somebody else's request or the phone has sent", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([{ type: "message.upsert", origin: "own_device", message: ownText(message_id, "first") }]);
    expect(await connection.send("first", { message_id })).toEqual(differs);
    await session.commit([{ type: "message.upsert", origin: "live", message: theirText("RECEIVED00000001", "hi", { raw: "cmF3" }) }]);
    const reacting = connection.ask("messages.react", { chat_id: `${OTHER}@c.us`, message_id: "RECEIVED00000001", reaction: "x" });
    const { message_id: reaction } = (await session.answer("send")) as SendRequest;
    await session.settle(reaction, acknowledged(reaction, ""));
    await reacting;
    expect(await connection.send("first", { message_id: reaction })).toMatchObject({ code: "content_differs" });
  });

  it("is never used again for as long as its message is stored", async () => {
    vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ["Date"] });
    const { connection, session } = await sent();
    await connection.after(9 * DAY_MS);
    expect(await connection.sql("SELECT * FROM outbox")).toEqual([]);
    expect(await connection.send("second", { message_id })).toEqual(differs);
    expect(session.commands).toEqual([]);
    vi.useRealTimers();
  });
});

describe("quotes and forwards", () => {
  it("carry what the network needs of the message they name", async () => {
    const { connection, session } = await TestConnection.connected();
    const theirs = theirText("THEIRS1", "question", { raw: "cXVlc3Rpb24=" });
    await session.commit([{ key: "message:THEIRS1", event: { type: "message.upsert", origin: "live", message: theirs } }]);
    const answering = connection.send("answer", { quoted_message_id: "THEIRS1" });
    const ref = { chat_id: `${OTHER}@c.us`, message_id: "THEIRS1", from_me: false };
    expect(await taken(session, answering)).toMatchObject({ quoted: { raw: "cXVlc3Rpb24=", ref } });
    const forwarding = connection.send("", { content: { kind: "forward_of", chat_id: `${OTHER}@c.us`, message_id: "THEIRS1" } });
    expect(await taken(session, forwarding)).toMatchObject({ content: { kind: "forward", raw: "cXVlc3Rpb24=" } });
  });

  it("are refused if they name an unknown message, not silently dropped", async () => {
    const { connection } = await TestConnection.connected();
    expect(await connection.send("answer", { quoted_message_id: "NONE" })).toMatchObject({ code: "quoted_message_not_found" });
    const forward = { content: { kind: "forward_of", chat_id: `${OTHER}@c.us`, message_id: "NONE" } } as const;
    expect(await connection.send("", forward)).toMatchObject({ code: "source_message_not_found" });
  });
});

describe("a restricted number (463)", () => {
  const restriction = (ends_at: number | null) =>
    ({
      type: "session.restriction",
      restriction: { type: "new_chats_blocked", enforcement: "X", ends_at, detected_at: 1 },
      timestamp: 1,
    }) as const;

  it("starts no new chat, but may write in existing ones", async () => {
    const { connection, session } = await TestConnection.connected();
    const ends_at = Math.floor(Date.now() / 1000) + 3_600;
    await session.commit([{ key: "message:T", event: { type: "message.upsert", origin: "live", message: theirText("T", "hi") } }]);
    await session.commit([restriction(ends_at)]);
    expect(await connection.status()).toBe("connected/restricted");
    const refused = await connection.send("hello", { to: "5511900000099" });
    expect(refused).toMatchObject({ code: "temporarily_blocked", details: { scope: "account", ends_at } });
    expect("retryAfter" in refused && refused.retryAfter).toBeGreaterThan(3_500);
    const sending = connection.send("hello");
    const { message_id } = (await session.answer("send")) as SendRequest;
    await session.settle(message_id, acknowledged(message_id, "hello"));
    expect(await sending).toMatchObject({ ok: true });
    await session.commit([{ type: "session.restriction", restriction: null, timestamp: 2 }]);
    const starting = connection.send("hello", { to: "5511900000099" });
    expect(await taken(session, starting)).toMatchObject({ chat_id: "5511900000099@c.us" });
  });
});

it("a message sent by the phone settles no send", async () => {
  const { connection, session } = await TestConnection.connected();
  const receiver = await Receiver.of(connection);
  const message = ownText("PHONE1", "from the phone");
  await session.commit([{ key: "message:PHONE1", event: { type: "message.upsert", origin: "own_device", message } }]);
  expect((await receiver.next("message.sent")).data).toMatchObject({ message_id: "PHONE1", source: "phone" });
});
