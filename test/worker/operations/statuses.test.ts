// Status posts: their audience and deletion.
import { afterEach, describe, expect, it } from "vitest";
import type { SendRequest } from "@gateway/protocol/content.ts";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import { type NetworkMessage, NO_EXTRAS } from "@gateway/protocol/message.ts";
import type { OperationInput } from "@gateway/protocol/operations.ts";
import type { FakeSession } from "../fakes/bridge.ts";
import { allEnded, OTHER, TestConnection } from "../fakes/connection.ts";

const FEED = "status@broadcast";
afterEach(allEnded);

const seconds = () => Math.floor(Date.now() / 1000);
const saved = (phone: string, name: string): NetworkEvent => ({
  type: "contact.updated",
  person: { phone, lid: null },
  name,
  is_saved: true,
});
const text = (change: Partial<OperationInput<"statuses.post">> = {}): OperationInput<"statuses.post"> => ({
  content: { kind: "text", text: "my day", preview: null },
  background: 0xff1f7a5c,
  font: 2,
  recipients: null,
  ...change,
});
const post = (message_id: string, change: Partial<NetworkMessage> = {}): NetworkMessage => ({
  message_id,
  chat_id: FEED,
  from_me: true,
  sender: null,
  push_name: null,
  timestamp: seconds(),
  type: "text",
  text: "my day",
  media: null,
  ...NO_EXTRAS,
  raw: "AA==",
  ...change,
});

/** Answers one send as the network acknowledges it. */
async function acknowledge(session: FakeSession): Promise<SendRequest> {
  const request = (await session.answer("send")) as SendRequest;
  await session.settle(request.message_id, {
    kind: "acknowledged",
    timestamp: seconds(),
    to_resolved: null,
    message: post(request.message_id),
  });
  return request;
}

describe("a status post", () => {
  it("goes to all saved contacts unless it says to whom", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([
      saved("5511900000011", "Ana"),
      saved("5511900000012", "Bia"),
      { type: "contact.updated", person: { phone: "5511900000013", lid: null }, push_name: "Stranger" },
    ]);
    const toAll = connection.ask("statuses.post", text());
    const request = await acknowledge(session);
    expect(request).toMatchObject({
      chat_id: FEED,
      content: { kind: "text", text: "my day" },
      status: { background: 0xff1f7a5c, font: 2, recipients: [{ phone: "5511900000011" }, { phone: "5511900000012" }] },
    });
    expect(await toAll).toMatchObject({
      ok: true,
      value: { message_id: request.message_id, chat_id: FEED, to: null, is_group: false, type: "text" },
    });
    const shown = await connection.ask("messages.get", { message_id: request.message_id, chat_id: FEED });
    expect(shown).toMatchObject({ ok: true, value: { source: "api" } });
    const toOne = connection.ask("statuses.post", text({ recipients: [OTHER] }));
    expect((await acknowledge(session)).status?.recipients).toEqual([{ phone: OTHER, lid: null }]);
    expect(await toOne).toMatchObject({ ok: true });
  });

  it("is deleted for those it went to, once", async () => {
    const { connection, session } = await TestConnection.connected();
    const posting = connection.ask("statuses.post", text({ recipients: [OTHER] }));
    const { message_id } = await acknowledge(session);
    await posting;
    const removing = connection.ask("statuses.remove", { message_id });
    const deletion = await acknowledge(session);
    expect(deletion).toMatchObject({
      chat_id: FEED,
      content: { kind: "delete", target: { chat_id: FEED, message_id, from_me: true } },
      status: { background: null, font: null, recipients: [{ phone: OTHER, lid: null }] },
    });
    expect(await removing).toEqual({ ok: true, value: {} });
    expect(await connection.ask("statuses.remove", { message_id })).toEqual({ ok: false, code: "message_not_found" });
  });

  it("is deleted for all saved contacts if it was made on the phone, which does not report its audience", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([saved(OTHER, "Ana"), { type: "message.upsert", message: post("PHONES"), origin: "own_device" }]);
    const removing = connection.ask("statuses.remove", { message_id: "PHONES" });
    expect((await acknowledge(session)).status?.recipients).toMatchObject([{ phone: OTHER }]);
    expect(await removing).toEqual({ ok: true, value: {} });
  });

  it("cannot be deleted if it is another sender's, more than a day old, or unknown", async () => {
    const { connection, session } = await TestConnection.connected();
    const theirs = post("THEIRS", { from_me: false, sender: { phone: OTHER, lid: null } });
    const old = post("OLD", { timestamp: seconds() - 90_000 });
    await session.commit([theirs, old].map((message) => ({ type: "message.upsert", message, origin: "live" }) as const));
    for (const message_id of ["THEIRS", "OLD", "NONE"]) {
      expect(await connection.ask("statuses.remove", { message_id })).toEqual({ ok: false, code: "message_not_found" });
    }
  });

  it("is readable for a day if it is another sender's", async () => {
    const { connection, session } = await TestConnection.connected();
    const sender = { phone: OTHER, lid: null };
    const messages = [
      post("NEW", { from_me: false, sender, background: 0xff112233 }),
      post("OLDER", { from_me: false, sender, timestamp: seconds() - 3_600, type: "image", text: null }),
      post("GONE", { from_me: false, sender, timestamp: seconds() - 90_000 }),
      post("OWN"),
    ];
    await session.commit(messages.map((message) => ({ type: "message.upsert", message, origin: "live" }) as const));
    const read = await connection.ask("statuses.received", { limit: 50 });
    expect(read).toMatchObject({
      value: {
        items: [
          { message_id: "NEW", sender, background: 0xff112233, text: "my day" },
          { message_id: "OLDER", background: null, type: "image" },
        ],
      },
    });
    expect(read.ok && read.value.items).toHaveLength(2);
  });

  it("is posted once if it is repeated with the same idempotency key", async () => {
    const { connection, session } = await TestConnection.connected();
    const call = { idempotencyKey: "once", flags: { mutating: true, counted: false, cached: false } };
    const first = connection.ask("statuses.post", text({ recipients: [OTHER] }), call);
    await acknowledge(session);
    const answer = await first;
    expect(await connection.ask("statuses.post", text({ recipients: [OTHER] }), call)).toEqual({ ...answer, replayed: true });
  });

  it("takes only certain content, and only on a number with a session", async () => {
    const { connection } = await TestConnection.connected();
    const poll = { kind: "poll" as const, poll: { question: "?", options: ["a", "b"], selectable_count: 1 } };
    expect(await connection.ask("statuses.post", text({ content: poll }))).toMatchObject({ ok: false, code: "validation_error" });
    const cloud = await TestConnection.create({ kind: "cloud_api" });
    expect(await cloud.ask("statuses.post", text())).toMatchObject({ ok: false, code: "not_supported" });
  });
});
