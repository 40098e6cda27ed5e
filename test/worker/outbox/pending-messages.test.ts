// A send in progress has no message row until the message is read or its outcome is known; callers see no difference.
import { afterEach, expect, it } from "vitest";
import type { FakeSession } from "../fakes/bridge.ts";
import { allEnded, OTHER, type Result, TestConnection } from "../fakes/connection.ts";
import { acknowledged, mine } from "../fakes/messages.ts";
import { Receiver } from "../fakes/receiver.ts";
import { ALL_MESSAGES } from "../store/queries.ts";

const ID = "ABCDEF0123456789";
const CHAT = `${OTHER}@c.us`;

type InProgress = { connection: TestConnection; session: FakeSession; sending: Promise<Result<unknown>> };

async function inProgress(): Promise<InProgress> {
  const { connection, session } = await TestConnection.connected();
  const sending = connection.send("hello", { message_id: ID, mentions: ["5511900000003"], reference: "order 7" });
  await session.answer("send");
  return { connection, session, sending };
}

const rows = (connection: TestConnection) => connection.sql<{ status: string }>("SELECT status FROM messages");
const listed = async (connection: TestConnection) => {
  const page = await connection.ask("messages.list", { ...ALL_MESSAGES, chat_id: CHAT });
  return page.ok ? page.value.items.map(({ message_id, status }) => [message_id, status]) : page.code;
};

afterEach(allEnded);

it("a send in progress is stored once, by its acknowledgement, with what was asked for", async () => {
  const { connection, session, sending } = await inProgress();
  expect(await rows(connection)).toEqual([]);
  await session.settle(ID, acknowledged(ID, "hello"));
  expect(await sending).toMatchObject({ ok: true });
  expect(await rows(connection)).toEqual([{ status: "sent" }]);
  expect(await connection.ask("messages.get", { message_id: ID, chat_id: CHAT })).toMatchObject({
    value: { status: "sent", text: "hello", mentions: [{ phone: "5511900000003" }], reference: "order 7", source: "api" },
  });
});

it("a send in progress is shown as pending to whoever looks, also after a crash", async () => {
  const { connection, session, sending } = await inProgress();
  expect(await listed(connection)).toEqual([[ID, "pending"]]);
  await session.settle(ID, acknowledged(ID, "hello"));
  expect(await sending).toMatchObject({ ok: true });
  expect(await listed(connection)).toEqual([[ID, "sent"]]);

  const other = await inProgress();
  other.sending.catch(() => undefined);
  await other.connection.crash();
  expect(await listed(other.connection)).toEqual([[ID, "pending"]]);
});

it("a send in progress is announced before its receipt and before a copy, though neither was acknowledged", async () => {
  const status = {
    type: "message.status",
    chat_id: CHAT,
    message_id: ID,
    status: "read",
    participant: null,
    timestamp: 1_900_000_002,
  } as const;
  for (const proof of [status, mine(ID)]) {
    const { connection, session, sending } = await inProgress();
    const receiver = await Receiver.of(connection);
    await session.commit([{ key: "proof", event: proof }]);
    expect(await sending).toMatchObject({ ok: true });
    expect((await receiver.next("message.sent")).data).toMatchObject({ reference: "order 7", source: "api" });
    expect(await rows(connection)).toHaveLength(1);
  }
});

it("a send in progress is reported as failed when it is refused", async () => {
  const { connection, session, sending } = await inProgress();
  await session.settle(ID, { kind: "refused", failure: { code: "temporarily_blocked" } });
  expect(await sending).toMatchObject({ ok: false, code: "temporarily_blocked" });
  expect(await listed(connection)).toEqual([[ID, "failed"]]);
});

it("a send in progress is deleted with its chat, and not restored by its acknowledgement", async () => {
  const { connection, session, sending } = await inProgress();
  await session.commit([{ type: "chat.cleared", chat_id: CHAT }]);
  await session.settle(ID, acknowledged(ID, "hello"));
  expect(await sending).toMatchObject({ ok: true });
  expect(await listed(connection)).toEqual([]);
});
