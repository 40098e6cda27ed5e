// A message sent through Graph is settled exactly once, in any order of its response, its statuses and an object crash.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import { allEnded, OTHER, PHONE, type TestConnection } from "../fakes/connection.ts";
import { Receiver } from "../fakes/receiver.ts";
import { countsOf } from "../statistics/world.ts";
import { type AskedSend, cloudConnection, FakeGraph } from "./cloud-world.ts";
import { change, messagesChange, metaBytes, signed, text, webhookOf } from "./webhook-bodies.ts";

const APP_SECRET = "secret of the app";
const WAMID = "wamid.out";
const FAILED = { errors: [{ code: 131_026, title: "Message undeliverable" }] };

let graph: FakeGraph;
beforeEach(() => {
  graph = new FakeGraph();
});
afterEach(async () => {
  await allEnded();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

async function hook(connection: TestConnection, value: Record<string, unknown>): Promise<void> {
  const bytes = metaBytes(webhookOf(value));
  expect(await connection.stub.cloudWebhook(bytes, await signed(bytes, APP_SECRET))).toBe(200);
}

type World = { connection: TestConnection; asked: AskedSend; sending: Promise<unknown> };

/** `own`: includes the value sent with the message. */
function status(world: World, name: string, more: Record<string, unknown> = {}, own = true): Promise<void> {
  return hook(world.connection, change("messages", { statuses: [statusItem(world, name, more, own)] }));
}

function statusItem({ asked }: World, name: string, more: Record<string, unknown> = {}, own = true): Record<string, unknown> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const value = own ? { biz_opaque_callback_data: `m1.${asked.messageId}` } : {};
  return { id: WAMID, status: name, timestamp, recipient_id: OTHER, ...value, ...more };
}

const SENT = { "sent.text": 1 };
const REFUSED = { "failed.text": 1, "error.number_not_on_network": 1 };

type Act = (world: World) => Promise<unknown>;
const answer: Act = ({ asked, sending }) => {
  asked.accept(WAMID);
  return sending;
};
const oddAnswer: Act = ({ asked, sending }) => {
  asked.answer(() => Response.json({ contacts: [null, { wa_id: {} }], messages: [{ id: WAMID }] }));
  return sending;
};
const lost: Act = ({ asked, sending }) => {
  asked.fail();
  return sending;
};
const failed: Act = (world) => status(world, "failed", FAILED);
const failedWithoutValue: Act = (world) => status(world, "failed", FAILED, false);
const delivered: Act = (world) => status(world, "delivered");
const sentAndFailed: Act = (world) =>
  hook(world.connection, change("messages", { statuses: [statusItem(world, "sent"), statusItem(world, "failed", FAILED)] }));
const crash: Act = async ({ connection, sending }) => {
  const ended = sending.catch(() => undefined);
  await connection.crash();
  await ended;
};

it("a message whose object died during a Graph request becomes uncertain soon after the caller's deadline", async () => {
  vi.useFakeTimers({ now: Date.UTC(2035, 0, 1), toFake: ["Date"] });
  const connection = await cloudConnection();
  const sending = connection.send("hello");
  const lost = sending.catch(() => undefined);
  const { messageId } = await graph.next();
  await connection.crash();
  await lost;
  const state = async () => (await connection.sql<{ state: string }>("SELECT state FROM outbox WHERE message_id = ?", messageId))[0]?.state;
  expect(await state()).toBe("asked");
  await connection.after(MINUTE_MS);
  expect(await state()).toBe("uncertain");
});

const TABLE: [what: string, acts: Act[], told: string[], counted: object][] = [
  ["accepted", [answer], ["message.sent"], SENT],
  ["accepted, with a contact that cannot be read", [oddAnswer], ["message.sent"], SENT],
  ["accepted, delivered twice", [answer, delivered, delivered], ["message.sent", "delivered"], SENT],
  ["delivered before its answer", [delivered, answer], ["message.sent", "delivered"], SENT],
  ["failed after its answer, twice", [answer, failed, failed], ["message.sent", "failed"], REFUSED],
  ["failed after its answer, without the value", [answer, failedWithoutValue], ["message.sent", "failed"], REFUSED],
  ["failed before its answer", [failed, answer, failed], ["message.sent", "failed"], REFUSED],
  ["failed before its answer was lost", [failed, lost, failed], ["message.sent", "failed"], REFUSED],
  ["failed before its answer, without the value", [failedWithoutValue, answer], ["message.sent", "failed"], REFUSED],
  ["failed once delivered", [answer, delivered, failed], ["message.sent", "delivered"], SENT],
  ["said to have failed, and delivered", [answer, failed, delivered], ["message.sent", "failed", "delivered"], SENT],
  ["without an answer", [lost], [], {}],
  ["without an answer, delivered", [lost, delivered, delivered], ["message.sent", "delivered"], SENT],
  ["without an answer, failed", [lost, failed, failed], ["failed"], REFUSED],
  ["without an answer, sent and failed in one webhook", [lost, sentAndFailed, failed], ["message.sent", "failed"], REFUSED],
  ["without an answer, failed after a restart", [lost, crash, failed, failed], ["failed"], REFUSED],
  ["cut off, delivered", [crash, delivered, delivered], ["message.sent", "delivered"], SENT],
  ["cut off, failed", [crash, failed, crash, failed], ["failed"], REFUSED],
  ["accepted, failed after a restart", [answer, crash, failed], ["message.sent", "failed"], REFUSED],
];

describe("a message", () => {
  it.each(TABLE)("is reported and counted by its outcome: %s", async (_what, acts, told, counted) => {
    const connection = await cloudConnection();
    const receiver = await Receiver.of(connection);
    const sending = connection.send("hello");
    sending.catch(() => undefined);
    const world = { connection, sending, asked: await graph.next() };
    for (const act of acts) await act(world);
    await hook(connection, messagesChange(text("last")));
    await receiver.next("message.received");
    const names = receiver.deliveries.map(({ type, data }) => (type === "message.status" ? data["status"] : type));
    expect(names).toEqual(told);
    const counts = Object.entries(await countsOf(connection)).filter(([name]) => /^(sent|failed|error)\./.test(name));
    expect(Object.fromEntries(counts)).toEqual(counted);
    expect(graph.sends).toHaveLength(1);
  });
});

it("a contact whose number Meta formats differently in webhooks and responses has one chat", async () => {
  const [written, answered] = ["5215512345678", "525512345678"];
  const connection = await cloudConnection();
  const receiver = await Receiver.of(connection);
  const incoming = text("hola", { from: written });
  await hook(connection, change("messages", { contacts: [{ profile: { name: "Eva" }, wa_id: written }], messages: [incoming] }));
  await receiver.next("message.received");
  for (const to of [written, answered]) {
    const sending = connection.send("buenas", { to });
    const asked = await graph.next();
    expect(asked.body.to).toBe(`+${written}`);
    asked.accept(`wamid.to.${to}`, { wa_id: answered });
    expect(await sending).toMatchObject({ value: { chat_id: `${written}@c.us` } });
  }
  const quoting = text("gracias", { from: answered, context: { from: PHONE, id: `wamid.to.${written}` } });
  await hook(connection, messagesChange(quoting));
  const { data } = await receiver.next("message.received");
  expect(data).toMatchObject({ chat_id: `${written}@c.us` });
  const saved = { contact_id: `${answered}@c.us`, full_name: "Eva", first_name: null };
  expect(await connection.ask("contacts.save", saved)).toMatchObject({ value: { contact_id: `${written}@c.us` } });
  const chats = await connection.ask("chats.list", {
    limit: 10,
    cursor: null,
    archived: null,
    unread: null,
    kind: null,
    label_id: null,
    q: null,
  });
  expect(chats).toMatchObject({ ok: true, value: { items: [{ chat_id: `${written}@c.us` }] } });
});
