// Requests for older history, and sync progress.
import { afterEach, describe, expect, it, vi } from "vitest";
import type { OperationInput } from "@gateway/protocol/operations.ts";
import { allEnded, event, OTHER, TestConnection } from "../fakes/connection.ts";
import { ownText, theirText } from "../fakes/messages.ts";

afterEach(allEnded);

const CHAT = `${OTHER}@c.us`;
const past = (id: string, timestamp: number, chat_id = CHAT) => ({
  type: "message.upsert" as const,
  message: theirText(id, id, { timestamp, chat_id }),
  origin: "history" as const,
});
const sync = (connection: TestConnection, input: Partial<OperationInput<"instance.sync_history">> = {}) =>
  connection.ask("instance.sync_history", { chat_id: CHAT, count: 50, ...input });
const state = async (connection: TestConnection) => {
  const got = await connection.ask("instance.history", {});
  return got.ok ? got.value : got.code;
};

describe("older messages", () => {
  it("are requested from before the oldest one that the network has", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([past("NEW", 2_000), past("OLD", 1_000)]);
    const asked = sync(connection, { count: 20 });
    expect(await session.answer("chats.history")).toEqual({
      chat_id: CHAT,
      count: 20,
      timestamp: 1_000,
      ref: expect.objectContaining({ chat_id: CHAT, message_id: "OLD", from_me: false }),
    });
    expect(await asked).toEqual({ ok: true, value: {} });
    expect(await state(connection)).toEqual({ state: "running", progress: null, chats: 1, messages: 2 });
    await session.commit([past("OLDER", 500), { type: "session.history", state: "complete", progress: 100, timestamp: 1 }]);
    expect(await state(connection)).toEqual({ state: "complete", progress: 100, chats: 1, messages: 3 });
  });

  it("may arrive before the bridge responds to the request", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([past("OLD", 1_000)]);
    const asked = sync(connection);
    await vi.waitFor(() => expect(session.commands).toEqual(["chats.history"]));
    await session.commit([past("OLDER", 500), { type: "session.history", state: "complete", progress: 100, timestamp: 1 }]);
    await session.answer("chats.history");
    expect(await asked).toEqual({ ok: true, value: {} });
    expect(await state(connection)).toMatchObject({ state: "complete", progress: 100, messages: 2 });
  });

  it("leave the progress as it was if the bridge refuses the request", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([past("OLD", 1_000), { type: "session.history", state: "complete", progress: 100, timestamp: 1 }]);
    const asked = sync(connection);
    await session.refuse("chats.history", { code: "network_timeout" });
    expect(await asked).toMatchObject({ ok: false, code: "network_timeout" });
    expect(await state(connection)).toMatchObject({ state: "complete", progress: 100 });
  });

  it("are requested for the most recent chats when none is named", async () => {
    const { connection, session } = await TestConnection.connected();
    const chats = Array.from({ length: 12 }, (_, n) => `55119000002${String(n).padStart(2, "0")}@c.us`);
    await session.commit(chats.map((chat, n) => past(`M${n}`, 1_000 + n, chat)));
    const asked = sync(connection, { chat_id: null });
    const named = [];
    for (let n = 0; n < 10; n += 1) named.push(((await session.answer("chats.history")) as { chat_id: string }).chat_id);
    expect(named).toEqual(chats.toReversed().slice(0, 10));
    expect(await asked).toEqual({ ok: true, value: {} });
  });

  it("cannot be requested for an empty chat, nor without a session", async () => {
    const { connection, session } = await TestConnection.connected();
    expect(await sync(connection)).toMatchObject({ code: "chat_not_found" });
    expect(await sync(connection, { chat_id: null })).toMatchObject({ code: "chat_not_found" });
    expect(await state(connection)).toMatchObject({ state: "idle", progress: null });
    await session.commit([{ type: "message.upsert", message: ownText("OWN", "oi"), origin: "live" }]);
    await connection.ask("instance.disconnect", {});
    expect(await sync(connection)).toMatchObject({ code: "instance_not_connected" });
  });

  it("start over when another device is linked", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([{ type: "session.history", state: "running", progress: 40, timestamp: 1 }]);
    expect(await state(connection)).toMatchObject({ state: "running", progress: 40 });
    await session.commit([event.paired()]);
    expect(await state(connection)).toMatchObject({ state: "idle", progress: null });
  });
});
