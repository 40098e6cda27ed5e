// Waiting sends of a Cloud API number: Meta decides about the service window at the time of sending (docs/use/waiting-sends.md, "While the
// number cannot send").
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { allEnded, type TestConnection } from "../fakes/connection.ts";
import { Receiver } from "../fakes/receiver.ts";
import { cloudConnection, FakeGraph } from "./cloud-world.ts";

let graph: FakeGraph;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  graph = new FakeGraph();
});
afterEach(async () => {
  await allEnded();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const inMs = (ms: number) => Math.ceil(Date.now() / 1000) * 1000 + ms;
const get = (connection: TestConnection, message_id: string) => connection.ask("messages.get", { message_id, chat_id: null });

async function accepted(connection: TestConnection, at: number, until: number | null): Promise<string> {
  const sent = await connection.send("Bom dia", { delivery: { at, until } });
  if (!sent.ok) throw new Error(sent.code);
  expect(sent.value.delivery?.at).toBe(at);
  return sent.value.message_id;
}

describe("a waiting send of a Cloud API number", () => {
  it("leaves at its time, though the object was evicted", async () => {
    const connection = await cloudConnection();
    const receiver = await Receiver.of(connection);
    const at = inMs(HOUR_MS);
    const id = await accepted(connection, at, null);
    await connection.after(HOUR_MS - 2_000);
    expect(graph.sends).toEqual([]);
    const leaving = graph.next();
    await connection.after(3_000, { kept: true });
    (await leaving).accept("wamid.1");
    expect((await receiver.next("message.sent")).data).toMatchObject({ message_id: id, text: "Bom dia" });
    expect(await get(connection, id)).toMatchObject({ value: { status: "sent" } });
    expect(graph.sends).toHaveLength(1);
  });

  it("can get another text, within Meta's limit", async () => {
    const connection = await cloudConnection();
    const message_id = await accepted(connection, inMs(HOUR_MS), null);
    expect(await connection.ask("waiting.change", { message_id, text: "x".repeat(4_097) })).toMatchObject({ code: "limit_of_kind" });
    expect(await connection.ask("waiting.change", { message_id, text: "x".repeat(4_096) })).toMatchObject({ ok: true });
  });

  it("fails once if the window is closed by then, because that does not end by itself", async () => {
    const connection = await cloudConnection();
    const receiver = await Receiver.of(connection);
    const id = await accepted(connection, inMs(HOUR_MS), null);
    const leaving = graph.next();
    await connection.after(HOUR_MS + 1_000, { kept: true });
    (await leaving).refuse(131_047);
    expect((await receiver.next("message.status")).data).toMatchObject({ message_id: id, status: "failed" });
    expect(await get(connection, id)).toMatchObject({ value: { status: "failed", failure: { code: "outside_service_window" } } });
    await connection.after(MINUTE_MS, { kept: true });
    expect(graph.sends).toHaveLength(1);
    expect(await connection.ask("waiting.list", { chat_id: null, limit: 50, cursor: null })).toMatchObject({ value: { items: [] } });
  });

  it("waits again after a rate limit for its recipient, which holds nobody else, and expires without having left", async () => {
    const connection = await cloudConnection();
    const receiver = await Receiver.of(connection);
    const id = await accepted(connection, inMs(MINUTE_MS), inMs(90_000));
    const leaving = graph.next();
    await connection.after(MINUTE_MS + 1_000, { kept: true });
    (await leaving).refuse(131_056);
    await vi.waitFor(async () =>
      expect(await connection.ask("waiting.list", { chat_id: null, limit: 50, cursor: null })).toMatchObject({
        value: { items: [{ message_id: id, waits_for: "pace" }] },
      }),
    );
    const other = graph.next();
    await connection.send("Oi", { to: "5511900000077", delivery: { at: null, until: null } });
    await connection.after(1_000, { kept: true });
    (await other).accept("wamid.2");
    await connection.after(34_000, { kept: true });
    await receiver.next("message.sent");
    expect((await receiver.next("message.status")).data).toMatchObject({ message_id: id, status: "failed" });
    expect(await get(connection, id)).toMatchObject({ value: { status: "failed", failure: { code: "expired" } } });
    expect(graph.sends).toHaveLength(2);
  });

  it("holds all sends of the number while Meta blocks its account, though the object was evicted", async () => {
    const connection = await cloudConnection();
    await accepted(connection, inMs(MINUTE_MS), null);
    const leaving = graph.next();
    await connection.after(MINUTE_MS + 1_000, { kept: true });
    (await leaving).refuse(368);
    await vi.waitFor(async () => expect(await connection.sql("SELECT message_id FROM waiting_send")).toHaveLength(1));
    await connection.send("Oi", { to: "5511900000077", delivery: { at: null, until: null } });
    await connection.after(8 * MINUTE_MS);
    expect(graph.sends).toHaveLength(1);
    const both = [graph.next(), graph.next()];
    await connection.after(3 * MINUTE_MS, { kept: true });
    for (const [n, sending] of both.entries()) (await sending).accept(`wamid.${n}`);
  });
});
