// Label operations: supported account types, the limit on labels, and their ids.
import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { CommandInput } from "@gateway/protocol/commands.ts";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import type { FakeSession } from "../fakes/bridge.ts";
import { allEnded, event, OTHER, TestConnection } from "../fakes/connection.ts";
import { theirs } from "../fakes/messages.ts";
import { Receiver } from "../fakes/receiver.ts";

const CHAT = `${OTHER}@c.us`;
async function connected(isBusiness = true) {
  const world = await TestConnection.connected();
  await world.session.commit([{ ...event.open(), is_business: isBusiness } as ReturnType<typeof event.open>]);
  return world;
}
afterEach(async () => {
  await allEnded();
  vi.restoreAllMocks();
});

const timestamp = 1_900_000_000;
const labelUpdated = (label_id: string, name = `Label ${label_id}`, color = 0) =>
  ({ type: "label.updated", label_id, name, color, predefined: false, timestamp }) as const;

/** Handles one `labels.put` like a bridge: reports the label, then answers. */
async function putLabel(session: FakeSession): Promise<CommandInput<"labels.put">> {
  const command = await session.frames.next("command", (frame) => frame.name === "labels.put");
  const label = JSON.parse(command.input) as CommandInput<"labels.put">;
  await session.commit([{ type: "label.updated", ...label, timestamp }]);
  session.say({ type: "result", id: command.id, ok: true, value: "{}" });
  return label;
}

const storedLabels = (connection: TestConnection) =>
  runInDurableObject(connection.stub as never, (_object, { storage: { sql } }) =>
    sql.exec("SELECT chat_id, message_id, label_id FROM label_messages ORDER BY label_id").toArray(),
  );

describe("labels", () => {
  it("exist on business accounts only, for every operation", async () => {
    const { connection } = await connected(false);
    const refused = { ok: false, code: "business_account_required" };
    expect(await connection.ask("labels.list", {})).toEqual(refused);
    expect(await connection.ask("labels.create", { name: "VIP", color: null })).toEqual(refused);
    expect(await connection.ask("labels.change", { label_id: "1", name: "VIP", color: null })).toEqual(refused);
    expect(await connection.ask("labels.remove", { label_id: "1" })).toEqual(refused);
    expect(await connection.ask("labels.chats", { label_id: "1", limit: 50, cursor: null })).toEqual(refused);
    expect(await connection.ask("labels.of_chat", { chat_id: CHAT })).toEqual(refused);
    expect(await connection.ask("labels.set_chat", { chat_id: CHAT, label_ids: [] })).toEqual(refused);
    expect(await connection.ask("labels.mark_chat", { chat_id: CHAT, label_id: "1", labelled: true })).toEqual(refused);
    const marked = { chat_id: CHAT, message_id: "3EB0000000000001", label_id: "1", labelled: true };
    expect(await connection.ask("labels.mark_message", marked)).toEqual(refused);
  });

  it("are unknown before a number was ever connected, and unsupported on a kind without a session", async () => {
    const never = await TestConnection.create();
    const cloud = await TestConnection.create({ kind: "cloud_api" });
    expect(await never.ask("labels.list", {})).toMatchObject({ ok: false, code: "instance_not_connected" });
    expect(await cloud.ask("labels.list", {})).toMatchObject({ ok: false, code: "not_supported", details: { kind: "cloud_api" } });
  });

  it("get an unused id and colour, and the change is emitted", async () => {
    const { connection, session } = await connected();
    await session.commit([
      labelUpdated("3", "New customer", 0),
      labelUpdated("5", "Gone", 2),
      { type: "label.deleted", label_id: "5", timestamp },
    ]);
    const receiver = await Receiver.of(connection);
    const creating = connection.ask("labels.create", { name: "VIP", color: null });
    expect(await putLabel(session)).toEqual({ label_id: "6", name: "VIP", color: 1, predefined: false });
    expect(await creating).toEqual({ ok: true, value: { label_id: "6", name: "VIP", color: 1, predefined: false, chats_count: 0 } });
    expect((await receiver.next("label.updated")).data).toMatchObject({ label_id: "6", name: "VIP", color: 1, color_hex: "#64c4ff" });
  });

  it("get different ids when created concurrently, and are limited to twenty", async () => {
    const { connection, session } = await connected();
    await session.commit(Array.from({ length: 18 }, (_, at) => labelUpdated(String(at + 1), `Label ${at + 1}`, at)));
    const creating = [1, 2, 3].map((at) => connection.ask("labels.create", { name: `New ${at}`, color: null }));
    const made = [await putLabel(session), await putLabel(session)];
    expect(made.map(({ label_id, color }) => [label_id, color])).toEqual([
      ["19", 18],
      ["20", 19],
    ]);
    const answers = await Promise.all(creating);
    expect(answers.filter(({ ok }) => ok)).toHaveLength(2);
    expect(answers.filter(({ ok }) => !ok)).toEqual([{ ok: false, code: "label_limit" }]);
  });

  it("count once while they are reported and not answered yet", async () => {
    const { connection, session } = await connected();
    await session.commit(Array.from({ length: 18 }, (_, at) => labelUpdated(String(at + 1))));
    const first = connection.ask("labels.create", { name: "First", color: 4 });
    const command = await session.frames.next("command", (frame) => frame.name === "labels.put");
    await session.commit([labelUpdated("19", "First", 4)]);
    const second = connection.ask("labels.create", { name: "Second", color: 5 });
    expect(await putLabel(session)).toMatchObject({ label_id: "20" });
    expect(await second).toMatchObject({ ok: true });
    session.say({ type: "result", id: command.id, ok: true, value: "{}" });
    expect(await first).toMatchObject({ ok: true, value: { label_id: "19" } });
  });

  it("leave their id free if the network refused them", async () => {
    const { connection, session } = await connected();
    await session.commit(Array.from({ length: 19 }, (_, at) => labelUpdated(String(at + 1))));
    const refused = connection.ask("labels.create", { name: "Refused", color: 4 });
    await session.refuse("labels.put", { code: "network_rate_limited", retryAfter: 60 });
    expect(await refused).toEqual({ ok: false, code: "network_rate_limited", retryAfter: 60 });
    const made = connection.ask("labels.create", { name: "Taken", color: 4 });
    expect(await putLabel(session)).toMatchObject({ label_id: "20", color: 4 });
    expect(await made).toMatchObject({ ok: true });
  });

  it("keep what a change does not mention", async () => {
    const { connection, session } = await connected();
    await session.commit([labelUpdated("7", "VIP", 3)]);
    const renaming = connection.ask("labels.change", { label_id: "7", name: "Very VIP", color: null });
    expect(await putLabel(session)).toEqual({ label_id: "7", name: "Very VIP", color: 3, predefined: false });
    expect(await renaming).toMatchObject({ value: { label_id: "7", name: "Very VIP", color: 3 } });
    expect(await connection.ask("labels.change", { label_id: "8", name: "?", color: null })).toEqual({
      ok: false,
      code: "label_not_found",
    });
    expect(await connection.ask("labels.remove", { label_id: "8" })).toEqual({ ok: false, code: "label_not_found" });
  });

  it("keep both of two concurrent changes, one of the name and one of the colour", async () => {
    const { connection, session } = await connected();
    await session.commit([labelUpdated("7", "VIP", 3)]);
    const renaming = connection.ask("labels.change", { label_id: "7", name: "Very VIP", color: null });
    const colouring = connection.ask("labels.change", { label_id: "7", name: null, color: 5 });
    await putLabel(session);
    await putLabel(session);
    expect([(await renaming).ok, (await colouring).ok]).toEqual([true, true]);
    expect(await connection.ask("labels.list", {})).toMatchObject({ value: { items: [{ name: "Very VIP", color: 5 }] } });
  });

  it("change although the change before was refused", async () => {
    const { connection, session } = await connected();
    await session.commit([labelUpdated("7", "VIP", 3)]);
    const renaming = connection.ask("labels.change", { label_id: "7", name: "Very VIP", color: null });
    const colouring = connection.ask("labels.change", { label_id: "7", name: null, color: 5 });
    await session.refuse("labels.put", { code: "network_rate_limited", retryAfter: 60 });
    expect(await putLabel(session)).toMatchObject({ name: "VIP", color: 5 });
    expect([(await renaming).ok, (await colouring).ok]).toEqual([false, true]);
  });

  it("are set for a chat as a whole by sending only the differences", async () => {
    const { connection, session } = await connected();
    const label = (label_id: string) => ({ type: "label.chat", label_id, chat_id: CHAT, labelled: true, timestamp }) as const;
    await session.commit([labelUpdated("1"), labelUpdated("2"), labelUpdated("3"), label("1"), label("2")]);
    expect(await connection.ask("labels.set_chat", { chat_id: CHAT, label_ids: ["2", "9"] })).toEqual({
      ok: false,
      code: "label_not_found",
    });
    const setting = connection.ask("labels.set_chat", { chat_id: CHAT, label_ids: ["2", "3", "3"] });
    const command = await session.frames.next("command", (frame) => frame.name === "labels.chat");
    expect(JSON.parse(command.input)).toEqual({ chat_id: CHAT, add: ["3"], remove: ["1"] });
    await session.commit([label("3"), { ...label("1"), labelled: false }]);
    session.say({ type: "result", id: command.id, ok: true, value: JSON.stringify({ chat_id: CHAT }) });
    expect(await setting).toMatchObject({ value: { items: [{ label_id: "2" }, { label_id: "3" }] } });
    // Repeating it does not need a command.
    expect(await connection.ask("labels.set_chat", { chat_id: CHAT, label_ids: ["3", "2"] })).toMatchObject({ ok: true });
    expect(await connection.ask("labels.chats", { label_id: "3", limit: 50, cursor: null })).toMatchObject({
      value: { items: [{ chat_id: CHAT }] },
    });
    expect(await connection.ask("labels.of_chat", { chat_id: "120363000000000001@g.us" })).toEqual({ ok: false, code: "chat_not_found" });
  });

  it("stay on a message as the phone was told, until the message or the label is gone", async () => {
    const { connection, session } = await connected();
    const labels = ["1", "2"].map((label_id) => ({ chat_id: CHAT, message_id: "3EB0ORDER", label_id }));
    const [first, second] = labels as [(typeof labels)[0], (typeof labels)[0]];
    await session.commit([labelUpdated("1"), labelUpdated("2"), theirs("3EB0ORDER"), theirs("3EB0GONE")]);
    const stored = () => storedLabels(connection);
    const mark = async (label: typeof first, labelled: boolean) => {
      const marking = connection.ask("labels.mark_message", { ...label, labelled });
      const command = await session.frames.next("command", (frame) => frame.name === "labels.message");
      expect(JSON.parse(command.input)).toEqual({ ...label, labelled });
      await session.commit([{ type: "label.message", ...label, labelled, timestamp }]);
      session.say({ type: "result", id: command.id, ok: true, value: "{}" });
      expect(await marking).toEqual({ ok: true, value: {} });
    };
    await mark(first, true);
    await mark(second, true);
    expect(await stored()).toEqual([first, second]);
    await mark(second, false);
    expect(await stored()).toEqual([first]);

    const ask = (change: object) => connection.ask("labels.mark_message", { ...first, labelled: true, ...change });
    expect(await ask({ label_id: "9" })).toEqual({ ok: false, code: "label_not_found" });
    expect(await ask({ message_id: "3EB0NEVER" })).toEqual({ ok: false, code: "message_not_found" });
    const deletion = { type: "message.deleted", chat_id: CHAT, message_id: "3EB0GONE", from_me: false, by: null, author: null, timestamp };
    await session.commit([deletion as NetworkEvent]);
    expect(await ask({ message_id: "3EB0GONE" })).toEqual({ ok: false, code: "message_not_found" });

    await mark(second, true);
    await session.commit([{ type: "label.deleted", label_id: "2", timestamp }]);
    expect(await stored()).toEqual([first]);
    await session.commit([{ type: "message.removed", chat_id: CHAT, message_id: "3EB0ORDER" }]);
    expect(await stored()).toEqual([]);
  });

  it("follow a message's chat to the phone number, even before the message arrives", async () => {
    const { connection, session } = await connected();
    const label = { chat_id: "150000000000077@lid", message_id: "3EB0LATER", label_id: "1" };
    await session.commit([labelUpdated("1"), { type: "label.message", ...label, labelled: true, timestamp }]);
    await session.commit([{ type: "lid.mapped", lid: "150000000000077", phone: OTHER }]);
    expect(await storedLabels(connection)).toEqual([{ ...label, chat_id: CHAT }]);
  });

  it("are requested once if they never arrived, not at every read", async () => {
    const { connection, session } = await connected();
    const reading = connection.ask("labels.list", {});
    const command = await session.frames.next("command", (frame) => frame.name === "labels.resync");
    await session.commit([labelUpdated("1", "Late")]);
    session.say({ type: "result", id: command.id, ok: true, value: "{}" });
    expect(await reading).toMatchObject({ value: { items: [{ label_id: "1", name: "Late" }] } });
    await session.commit([{ type: "label.deleted", label_id: "1", timestamp }]);
    expect(await connection.ask("labels.list", {})).toEqual({ ok: true, value: { items: [] } });
  });
});
