// Calls: which can be rejected, and the resulting events (docs/use/connection-api.md, "Changes").
import { afterEach, describe, expect, it, vi } from "vitest";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import { allEnded, OTHER, TestConnection } from "../fakes/connection.ts";
import { Receiver } from "../fakes/receiver.ts";

afterEach(async () => {
  await allEnded();
  vi.restoreAllMocks();
});

type Call = Extract<NetworkEvent, { type: "call" }>;
const call = (call_id: string, status: Call["status"], change: Partial<Call> = {}): Call => ({
  type: "call",
  call_id,
  chat_id: `${OTHER}@c.us`,
  from: { phone: OTHER, lid: "77777" },
  is_video: false,
  is_group: false,
  status,
  timestamp: Math.floor(Date.now() / 1000),
  ...change,
});
const reject = (connection: TestConnection, call_id: string, from = OTHER) => connection.ask("calls.reject", { call_id, from });
const status = async (connection: TestConnection, callId: string) => {
  const listed = await connection.ask("calls.list", { limit: 50 });
  return listed.ok ? listed.value.items.find(({ call_id }) => call_id === callId)?.status : listed.code;
};

describe("a call that rings", () => {
  it("is rejected at the address the network knows, and its rejection is no event", async () => {
    const { connection, session } = await TestConnection.connected();
    const receiver = await Receiver.of(connection);
    await session.commit([call("C1", "received")]);
    expect(await receiver.next("call")).toMatchObject({ data: { call_id: "C1", from: OTHER, status: "received" } });
    const rejected = reject(connection, "C1");
    const command = await session.frames.next("command", ({ name }) => name === "calls.reject");
    expect(JSON.parse(command.input)).toEqual({ call_id: "C1", from: { phone: OTHER, lid: "77777" } });
    // The echo may arrive before the answer.
    await session.commit([call("C1", "rejected")]);
    session.say({ type: "result", id: command.id, ok: true, value: "{}" });
    expect(await rejected).toEqual({ ok: true, value: {} });
    expect(await status(connection, "C1")).toBe("rejected");
    await session.commit([call("C2", "received"), call("C2", "accepted")]);
    expect([(await receiver.next("call")).data["call_id"], (await receiver.next("call")).data["status"]]).toEqual(["C2", "accepted"]);
    expect(receiver.deliveries).toEqual([]);
  });

  it("is rejected also when its end is told before the rejection is answered", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([call("C1", "received")]);
    const rejected = reject(connection, "C1");
    const command = await session.frames.next("command", ({ name }) => name === "calls.reject");
    await session.commit([call("C1", "ended")]);
    session.say({ type: "result", id: command.id, ok: true, value: "{}" });
    expect(await rejected).toEqual({ ok: true, value: {} });
    expect(await status(connection, "C1")).toBe("rejected");
  });

  it("is over once it was rejected: a second rejection comes too late", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([call("C1", "received")]);
    const rejected = reject(connection, "C1");
    await session.answer("calls.reject");
    expect(await rejected).toEqual({ ok: true, value: {} });
    expect(await status(connection, "C1")).toBe("rejected");
    expect(await reject(connection, "C1")).toEqual({ ok: false, code: "call_ended" });
  });

  it("counts as missed after two minutes if its end was never reported", async () => {
    const { connection, session } = await TestConnection.connected();
    const rang = Math.floor(Date.now() / 1000) - 121;
    await session.commit([call("C1", "received", { timestamp: rang }), call("C2", "received", { timestamp: rang + 20 })]);
    session.drop();
    expect([await status(connection, "C1"), await status(connection, "C2")]).toEqual(["missed", "received"]);
    expect(await reject(connection, "C1")).toEqual({ ok: false, code: "call_ended" });
  });

  it("may be rejected without naming the caller while the caller's number is unknown", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([call("C1", "received", { chat_id: "88888@lid", from: { phone: null, lid: "88888" } })]);
    const rejected = reject(connection, "C1", "5511900000055");
    expect(await session.answer("calls.reject")).toEqual({ call_id: "C1", from: { phone: null, lid: "88888" } });
    expect(await rejected).toMatchObject({ ok: true });
  });

  it("is reported as rejected elsewhere after the network refused its rejection", async () => {
    const { connection, session } = await TestConnection.connected();
    const receiver = await Receiver.of(connection);
    await session.commit([call("C1", "received")]);
    await receiver.next("call");
    const rejected = reject(connection, "C1");
    await session.refuse("calls.reject", { code: "call_not_found" });
    expect(await rejected).toEqual({ ok: false, code: "call_not_found" });
    await session.commit([call("C1", "rejected")]);
    expect(await receiver.next("call")).toMatchObject({ data: { status: "rejected" } });
  });

  it("is not reported as rejected if its own rejection may have succeeded", async () => {
    const { connection, session } = await TestConnection.connected();
    const receiver = await Receiver.of(connection);
    await session.commit([call("C1", "received")]);
    await receiver.next("call");
    const rejected = reject(connection, "C1");
    await session.refuse("calls.reject", { code: "network_timeout" });
    expect(await rejected).toEqual({ ok: false, code: "network_timeout" });
    await session.commit([call("C1", "rejected"), call("C2", "received")]);
    expect(await receiver.next("call")).toMatchObject({ data: { call_id: "C2" } });
    expect(await status(connection, "C1")).toBe("rejected");
  });
});

describe("a call that cannot be rejected", () => {
  it("is unknown, or of another caller", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([call("C1", "received")]);
    expect(await reject(connection, "C9")).toEqual({ ok: false, code: "call_not_found" });
    expect(await reject(connection, "C1", "5511900000055")).toEqual({ ok: false, code: "call_not_found" });
    expect(session.commands).toEqual([]);
  });

  it.each([
    ["accepted", "accepted"],
    ["rejected", "rejected"],
    ["ended", "missed"],
  ] as const)("was %s", async (end, shown) => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([call("C1", "received"), call("C1", end)]);
    expect(await reject(connection, "C1")).toEqual({ ok: false, code: "call_ended" });
    expect(await status(connection, "C1")).toBe(shown);
    expect(session.commands).toEqual([]);
  });

  it("is on a number that is not connected", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([call("C1", "received")]);
    await connection.ask("instance.disconnect", {});
    expect(await reject(connection, "C1")).toEqual({ ok: false, code: "instance_not_connected" });
  });
});
