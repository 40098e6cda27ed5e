// Waiting for a message (docs/use/mcp.md, "Tools").
import { runInDurableObject } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import { allEnded, OTHER } from "../fakes/connection.ts";
import { theirs } from "../fakes/messages.ts";
import { assistant } from "./client.ts";

const CHAT = `${OTHER}@c.us`;

afterEach(allEnded);

async function waiting() {
  const made = await assistant({ scopes: ["read"] });
  const streams = () => runInDurableObject(made.connection.stub, (_object, state) => state.getWebSockets("listen").length);
  return { ...made, streams };
}

const ids = (result: { structuredContent: { facts: unknown } }) =>
  (result.structuredContent.facts as { data: { message_id: string }[] }).data.map(({ message_id: id }) => id);

it("a wait ends with the first message of the chat, and leaves no stream open", async () => {
  const { session, call, streams } = await waiting();
  const waits = call("wait_for_message", { chat_id: OTHER });
  await vi.waitFor(async () => expect(await streams()).toBe(1), 60_000);
  const other = { chat_id: "5511900000009@c.us", sender: { phone: "5511900000009", lid: null } };
  await session.commit([theirs("3EB0AAAAAAAA", other)]);
  await session.commit([theirs("3EB0BBBBBBBB")]);
  expect(ids(await waits)).toEqual(["3EB0BBBBBBBB"]);
  await vi.waitFor(async () => expect(await streams()).toBe(0), 60_000);
});

it("a wait gives messages at once that came after the last known one, and none when nobody writes", async () => {
  const { session, call } = await waiting();
  await session.commit([theirs("3EB0AAAAAAAA"), theirs("3EB0BBBBBBBB"), theirs("3EB0CCCCCCCC")]);
  expect(ids(await call("wait_for_message", { chat_id: CHAT, after: "3EB0AAAAAAAA" }))).toEqual(["3EB0CCCCCCCC", "3EB0BBBBBBBB"]);
  expect(ids(await call("wait_for_message", { chat_id: CHAT, after: "3EB0CCCCCCCC", seconds: 1 }))).toEqual([]);
  expect((await call("wait_for_message", { after: "3EB0CCCCCCCC" })).isError).toBe(true);
});

it("a revoked key waits for nothing, and opens no stream", async () => {
  const { connection, keyId, post } = await waiting();
  await connection.ask("keys.revoke", { id: keyId });
  const opened = await runInDurableObject(connection.stub, (_object, state) => vi.spyOn(state, "acceptWebSocket"));
  const answer = await post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "wait_for_message", arguments: {} } });
  expect(answer.status).toBe(401);
  expect(opened).not.toHaveBeenCalled();
});
