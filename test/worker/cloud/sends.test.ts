// A message sent through Graph is stored, requested once, and settled by the response. Also covers what each response means.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { OperationInput } from "@gateway/protocol/operations.ts";
import { allEnded, OTHER, type TestConnection } from "../fakes/connection.ts";
import { Receiver } from "../fakes/receiver.ts";
import { cloudConnection, FakeGraph } from "./cloud-world.ts";

const CHAT = `${OTHER}@c.us`;

let graph: FakeGraph;
beforeEach(() => {
  graph = new FakeGraph();
});
afterEach(async () => {
  await allEnded();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Sends a message that Graph accepts, and returns our id for it. */
async function sent(connection: TestConnection, text: string, wamid: string, to: string = OTHER): Promise<string> {
  const sending = connection.send(text, { to });
  const asked = await graph.next();
  asked.accept(wamid);
  expect(await sending).toMatchObject({ ok: true });
  return asked.messageId;
}

const get = (connection: TestConnection, message_id: string) => connection.ask("messages.get", { message_id, chat_id: null });

describe("a text", () => {
  it("is requested once, with the id that its statuses carry, and answered once Graph has accepted it", async () => {
    const connection = await cloudConnection();
    const receiver = await Receiver.of(connection);
    const sending = connection.send("hello", { reference: "order 7" });
    const asked = await graph.next();
    expect(asked.body).toEqual({
      messaging_product: "whatsapp",
      recipient_type: "individual",
      to: `+${OTHER}`,
      type: "text",
      text: { body: "hello" },
      biz_opaque_callback_data: `m1.${asked.messageId}`,
    });
    expect(asked.messageId).toMatch(/^3EB0[0-9A-F]{18}$/);
    expect(await get(connection, asked.messageId)).toMatchObject({ value: { status: "pending", text: "hello" } });
    asked.accept("wamid.1");
    expect(await sending).toMatchObject({
      ok: true,
      value: { message_id: asked.messageId, chat_id: CHAT, to: OTHER, to_resolved: null, type: "text", reference: "order 7" },
    });
    expect((await receiver.next("message.sent")).data).toMatchObject({ message_id: asked.messageId, source: "api", text: "hello" });
    expect(await get(connection, asked.messageId)).toMatchObject({ value: { status: "sent" } });
    expect(graph.sends).toHaveLength(1);
  });

  it("quotes by Graph's message id, including its own messages", async () => {
    const connection = await cloudConnection();
    const first = await sent(connection, "question", "wamid.first");
    const answering = connection.send("answer", { quoted_message_id: first });
    const asked = await graph.next();
    expect(asked.body.context).toEqual({ message_id: "wamid.first" });
    asked.accept("wamid.2");
    expect(await answering).toMatchObject({ ok: true });
    expect(await get(connection, asked.messageId)).toMatchObject({
      value: { quoted: { message_id: first, text: "question", from_me: true } },
    });
    expect(await connection.send("answer", { quoted_message_id: "3EB0UNKNOWN" })).toMatchObject({ code: "quoted_message_not_found" });
  });

  it("joins the chat of the network's format of its number, which the next text uses", async () => {
    const connection = await cloudConnection();
    const sending = connection.send("oi", { to: "5511987654321" });
    const asked = await graph.next();
    expect(asked.body.to).toBe("+5511987654321");
    asked.accept("wamid.1", { wa_id: "551187654321" });
    expect(await sending).toMatchObject({
      value: { to: "5511987654321", to_resolved: "551187654321", chat_id: "551187654321@c.us" },
    });
    expect(await get(connection, asked.messageId)).toMatchObject({ value: { chat_id: "551187654321@c.us" } });
    const again = connection.send("oi", { to: "5511987654321" });
    const next = await graph.next();
    expect(next.body.to).toBe("+551187654321");
    next.accept("wamid.2");
    expect(await again).toMatchObject({ value: { to: "5511987654321", to_resolved: "551187654321" } });
  });

  it("is not requested while the number is not connected", async () => {
    const connection = await cloudConnection();
    await connection.ask("instance.disconnect", {});
    expect(await connection.send("hello")).toMatchObject({ code: "instance_not_connected" });
    expect(graph.sends).toEqual([]);
  });
});

describe("a reaction", () => {
  it("names its message by Graph's id, and is not a message", async () => {
    const connection = await cloudConnection();
    const receiver = await Receiver.of(connection);
    const message_id = await sent(connection, "question", "wamid.first");
    await receiver.next("message.sent");
    const reacting = connection.ask("messages.react", { chat_id: CHAT, message_id, reaction: "👍" });
    const asked = await graph.next();
    expect(asked.body).toMatchObject({ type: "reaction", reaction: { message_id: "wamid.first", emoji: "👍" } });
    asked.accept("wamid.2");
    expect(await reacting).toEqual({ ok: true, value: {} });
    expect((await receiver.next("message.reaction")).data).toMatchObject({ message_id, reaction: "👍" });
    expect(await get(connection, asked.messageId)).toMatchObject({ code: "message_not_found" });
  });
});

type Content = OperationInput<"messages.send">["content"];
const list = (rows: number): Content => ({
  kind: "list",
  body: "Choose",
  header: null,
  footer: null,
  button: "Open",
  sections: [{ title: "All", rows: Array.from({ length: rows }, (_, at) => ({ row_id: `${at}`, title: `Row ${at}`, description: null })) }],
});

describe("content that only a Cloud API number supports", () => {
  it.each<[string, Content, object]>([
    ["a list", list(2), { type: "interactive", interactive: { type: "list", body: { text: "Choose" } } }],
    [
      "buttons",
      { kind: "buttons", body: "Sure?", header: null, footer: null, buttons: [{ button_id: "y", title: "Yes" }] },
      { type: "interactive", interactive: { type: "button", action: { buttons: [{ type: "reply", reply: { id: "y", title: "Yes" } }] } } },
    ],
    [
      "a template",
      { kind: "template", name: "hello", language: "pt_BR", components: '[{"type":"body","parameters":[]}]' },
      { type: "template", template: { name: "hello", language: { code: "pt_BR" }, components: [{ type: "body", parameters: [] }] } },
    ],
  ])("is sent: %s", async (_what, content, body) => {
    const connection = await cloudConnection();
    const sending = connection.send("", { content });
    const asked = await graph.next();
    expect(asked.body).toMatchObject(body);
    asked.accept("wamid.1");
    expect(await sending).toMatchObject({ ok: true, value: { type: content.kind } });
  });
});

describe("content beyond a Cloud API limit", () => {
  it.each<[string, Content]>([
    ["a text of 4,097 characters", { kind: "text", text: "ä".repeat(4_097), preview: null }],
    ["a list of 11 rows", list(11)],
  ])("is refused before anything is stored: %s", async (_what, content) => {
    const connection = await cloudConnection();
    expect(await connection.send("", { content })).toMatchObject({ code: "limit_of_kind" });
    expect(graph.sends).toEqual([]);
    expect(await connection.sql("SELECT * FROM outbox")).toEqual([]);
    expect(await connection.sql("SELECT * FROM messages")).toEqual([]);
  });
});

describe("an inconclusive response", () => {
  it.each<[string, (asked: Awaited<ReturnType<FakeGraph["next"]>>) => void]>([
    ["no name", (asked) => asked.answer(() => Response.json({ messages: [] }))],
    ["no JSON", (asked) => asked.answer(() => new Response("<html>"))],
    ["a redirect", (asked) => asked.answer(() => new Response(null, { status: 302, headers: { location: "https://x.test" } }))],
    ["an error without a code", (asked) => asked.answer(() => Response.json({ error: { message: "?", code: null } }, { status: 400 }))],
    ["a failure of Graph", (asked) => asked.answer(() => new Response("busy", { status: 503 }))],
    ["none at all", (asked) => asked.fail()],
    ["code 131000", (asked) => asked.refuse(131_000, 500)],
    ["code 2, by HTTP 200", (asked) => asked.refuse(2, 200)],
    ["an unknown code by HTTP 500", (asked) => asked.refuse(999_999, 500)],
  ])("leaves the outcome unknown, and the message is never sent again: %s", async (_what, end) => {
    const connection = await cloudConnection();
    const sending = connection.send("hello", { message_id: null });
    const asked = await graph.next();
    end(asked);
    expect(await sending).toMatchObject({
      code: "send_outcome_unknown",
      details: { message_id: asked.messageId, chat_id: CHAT },
    });
    expect(await get(connection, asked.messageId)).toMatchObject({ value: { status: "pending" } });
    await connection.crash();
    await connection.ask("instance.get", {});
    expect(graph.sends).toHaveLength(1);
  });

  it("can be followed by a late acceptance, which marks the message as sent", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    const connection = await cloudConnection();
    const receiver = await Receiver.of(connection);
    const sending = connection.send("hello");
    const asked = await graph.next();
    await connection.wait(10_000);
    expect(await sending).toMatchObject({ code: "send_outcome_unknown" });
    await connection.wait(60_000);
    asked.accept("wamid.1");
    expect((await receiver.next("message.sent")).data).toMatchObject({ message_id: asked.messageId });
    expect(await get(connection, asked.messageId)).toMatchObject({ value: { status: "sent" } });
  });
});

describe("a refusal", () => {
  it.each([
    [131_047, "outside_service_window", 400],
    [131_026, "number_not_on_network", 500],
    [132_001, "template_invalid", 404],
    [131_009, "limit_of_kind", 400],
    [999_999, "network_error", 400],
  ])("is final: code %i is reported as %s", async (code, expected, status) => {
    const connection = await cloudConnection();
    const receiver = await Receiver.of(connection);
    const content: Content =
      expected === "template_invalid"
        ? { kind: "template", name: "hello", language: "pt_BR", components: null }
        : { kind: "text", text: "hello", preview: null };
    const sending = connection.send("", { content });
    const asked = await graph.next();
    asked.refuse(code, status);
    expect(await sending).toMatchObject({ code: expected, details: { network_code: code, message_id: asked.messageId } });
    expect((await receiver.next("message.status")).data).toMatchObject({ message_id: asked.messageId, status: "failed" });
    expect(await connection.sql("SELECT * FROM cloud_sends")).toEqual([]);
  });

  it("for one recipient delays no other recipient", async () => {
    const connection = await cloudConnection();
    const sending = connection.send("hello");
    (await graph.next()).refuse(131_056);
    expect(await sending).toMatchObject({ code: "network_rate_limited", details: { scope: "recipient" } });
    expect(await sent(connection, "hello", "wamid.1", "5511900000003")).toBeDefined();
  });
});

describe("a number that exceeds Graph's rate", () => {
  const at = (n: number) => ({ to: `55119000001${String(n).padStart(2, "0")}` });

  it.each([130_429, 131_057])("waits a second after %i, then repeats the refused message before all others", async (code) => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    const connection = await cloudConnection();
    const receiver = await Receiver.of(connection);
    const first = connection.send("first", at(1));
    const asked = await graph.next();
    asked.refuse(code);
    await vi.waitFor(async () => expect(await connection.sql("SELECT * FROM cloud_sends")).toEqual([]));
    const second = connection.send("second", at(2));
    await vi.waitFor(async () => expect(await connection.sql("SELECT * FROM outbox")).toHaveLength(2));
    await connection.wait(900);
    expect(graph.sends).toHaveLength(1);
    await connection.wait(100);
    const [again, other] = [await graph.next(), await graph.next()];
    expect([again.messageId, other.body.to]).toEqual([asked.messageId, `+${at(2).to}`]);
    again.accept("wamid.1");
    other.accept("wamid.2");
    expect(await first).toMatchObject({ ok: true, value: { message_id: asked.messageId } });
    expect(await second).toMatchObject({ ok: true });
    await receiver.next("message.sent");
    expect((await receiver.next("message.sent")).data).toMatchObject({ message_id: other.messageId });
  });

  it("answers 429 if the pause exceeds the caller's timeout, and immediately during such a pause", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    const connection = await cloudConnection();
    const sending = connection.send("hello", at(1));
    const next = connection.send("of the same chat", at(1));
    // After further pauses of 1, 2 and 4 s, too little of the ten seconds is left for a pause of eight.
    for (const seconds of [1, 2, 4]) {
      (await graph.next()).refuse(130_429);
      await vi.waitFor(async () => expect(await connection.sql("SELECT * FROM cloud_sends")).toEqual([]));
      await connection.wait(seconds * 1_000);
    }
    (await graph.next()).refuse(130_429);
    const refusal = { code: "network_rate_limited", retryAfter: 8, details: { network_code: 130_429 } };
    expect(await sending).toMatchObject(refusal);
    expect(await next).toMatchObject(refusal);
    const patient = connection.send("patient", at(2));
    await connection.wait(8_000);
    (await graph.next()).refuse(130_429);
    expect(await patient).toMatchObject({ ...refusal, retryAfter: 16 });
    expect(await connection.send("not stored", at(3))).toMatchObject({ ...refusal, retryAfter: 16 });
    expect([graph.sends.length, (await connection.sql("SELECT * FROM outbox")).length]).toEqual([5, 3]);
    await connection.wait(16_000);
    const last = connection.send("hello", at(2));
    (await graph.next()).accept("wamid.1");
    expect(await last).toMatchObject({ ok: true });
    // Graph accepted a message, so the next refusal counts as the first again.
    const later = connection.send("hello", at(3));
    (await graph.next()).refuse(130_429);
    await vi.waitFor(async () => expect(await connection.sql("SELECT * FROM cloud_sends WHERE wamid IS NULL")).toEqual([]));
    await connection.wait(1_000);
    (await graph.next()).accept("wamid.2");
    expect(await later).toMatchObject({ ok: true });
  });

  it("loses nothing if it dies in the pause: the same call sends the message", async () => {
    const connection = await cloudConnection();
    const key = { idempotencyKey: "order-8", fingerprint: "text", flags: { mutating: true, counted: false, cached: false } };
    const lost = connection.send("hello", at(1), key).catch(() => "died");
    (await graph.next()).refuse(130_429);
    await vi.waitFor(async () => expect(await connection.sql("SELECT * FROM cloud_sends")).toEqual([]));
    await connection.crash();
    expect(await lost).toBe("died");
    const again = connection.send("hello", at(1), key);
    (await graph.next()).accept("wamid.1");
    expect(await again).toMatchObject({ ok: true });
  });
});

describe("many messages", () => {
  it("go in sequence within one chat, without waiting long for a response", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    const connection = await cloudConnection();
    const told = async () => {
      const asked = await graph.next();
      return { ...asked, text: (asked.body["text"] as { body: string }).body };
    };
    const sending = ["one", "two", "three"].map((text) => connection.send(text));
    const elsewhere = connection.send("elsewhere", { to: "5511900000003" });
    const [one, other] = [await told(), await told()];
    expect([one.text, other.text]).toEqual(["one", "elsewhere"]);
    other.accept("wamid.other");
    one.accept("wamid.1");
    const two = await told();
    expect(two.text).toBe("two");
    await connection.wait(3_000);
    const three = await told();
    expect(three.text).toBe("three");
    three.accept("wamid.3");
    two.accept("wamid.2");
    expect((await Promise.all([...sending, elsewhere])).map(({ ok }) => ok)).toEqual([true, true, true, true]);
  });

  it("have ten in flight at once, and continue past those that Graph leaves unanswered", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    const connection = await cloudConnection();
    const sending = Array.from({ length: 13 }, (_, at) => connection.send(`text ${at}`, { to: `55119000001${at + 10}` }));
    for (let at = 0; at < 10; at += 1) await graph.next();
    await connection.wait(2_900);
    expect(graph.sends).toHaveLength(10);
    graph.sends[0]?.accept("wamid.0");
    // Fills the freed slot, and one more.
    const [eleventh, twelfth] = [await graph.next(), await graph.next()];
    expect(graph.sends).toHaveLength(12);
    await connection.wait(100);
    const thirteenth = await graph.next();
    for (const { messageId, accept } of [eleventh, twelfth, thirteenth]) accept(`wamid.${messageId}`);
    await connection.wait(7_000);
    const codes = (await Promise.all(sending)).map((answer) => (answer.ok ? "ok" : answer.code));
    expect(codes).toEqual(["ok", ...Array.from({ length: 9 }, () => "send_outcome_unknown"), "ok", "ok", "ok"]);
  });

  it("do not start if Graph would respond after their callers' timeout", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    const connection = await cloudConnection();
    const sending = Array.from({ length: 40 }, (_, at) => connection.send(`text ${at}`, { to: `55119000001${at + 10}` }));
    const slow = async (howMany: number) => {
      const asked = [];
      for (let at = 0; at < howMany; at += 1) asked.push(await graph.next());
      await connection.wait(2_900);
      for (const { messageId, accept } of asked) accept(`wamid.${messageId}`);
    };
    for (const howMany of [10, 20]) await slow(howMany);
    // The 4.2 s left are less than one and a half times a response's duration.
    const codes = (await Promise.all(sending)).map((answer) => (answer.ok ? "ok" : answer.code));
    expect(codes.filter((code) => code === "ok")).toHaveLength(30);
    expect(codes.filter((code) => code === "unavailable")).toHaveLength(10);
    expect(graph.sends).toHaveLength(30);
  });
});

describe("an object that dies", () => {
  const KEY = { idempotencyKey: "order-7", fingerprint: "text", flags: { mutating: true, counted: false, cached: false } };

  it("never repeats a message whose request it had started, and reports its outcome as unknown", async () => {
    const connection = await cloudConnection();
    const lost = connection.send("hello", {}, KEY).catch(() => "died");
    const { messageId } = await graph.next();
    await connection.crash();
    expect(await lost).toBe("died");
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    const again = connection.send("hello", {}, KEY);
    const over = new AbortController();
    void again.finally(() => over.abort());
    // Advances the clock until the repeated send ends.
    while (!over.signal.aborted) await connection.wait(1_000);
    expect(await again).toMatchObject({ code: "send_outcome_unknown", details: { message_id: messageId } });
    expect(graph.sends).toHaveLength(1);
    expect(graph.sends[0]?.body.to).toBe(`+${OTHER}`);
  });

  it("sends a message whose request it had not started when the same call is repeated", async () => {
    const connection = await cloudConnection();
    // Graph leaves ten requests unanswered, so the next message is stored and waits.
    for (let at = 0; at < 10; at++) {
      connection.send(`text ${at}`, { to: `551190000010${at}` }).catch(() => undefined);
      await graph.next();
    }
    const lost = connection.send("hello", {}, KEY).catch(() => "died");
    await vi.waitFor(async () => expect(await connection.sql("SELECT * FROM outbox")).toHaveLength(11));
    await connection.crash();
    expect(await lost).toBe("died");
    const again = connection.send("hello", {}, KEY);
    const asked = await graph.next();
    expect(asked.body).toMatchObject({ to: `+${OTHER}`, text: { body: "hello" } });
    asked.accept("wamid.1");
    expect(await again).toMatchObject({ ok: true, value: { message_id: asked.messageId } });
    expect(graph.sends.filter(({ body }) => body.to === `+${OTHER}`)).toHaveLength(1);
  });
});

describe("credentials", () => {
  it("leave a message unsent when Graph refuses them: the send fails with network_error", async () => {
    const connection = await cloudConnection();
    const sending = connection.send("hello");
    const asked = await graph.next();
    asked.refuse(190, 401);
    expect(await sending).toMatchObject({ code: "network_error", details: { network_code: 190, message_id: asked.messageId } });
  });
});
