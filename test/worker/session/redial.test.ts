// A caller waits for a session whose bridge lost all its sockets at once and redials them one by one.
import { evictDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { SendRequest } from "@gateway/protocol/content.ts";
import { RedialRequest } from "#root/durable-objects/connection/session/redial-request.ts";
import { pool } from "../fakes/bridge.ts";
import { allEnded, event, TestConnection } from "../fakes/connection.ts";
import { acknowledged } from "../fakes/messages.ts";

afterEach(() => allEnded());

/** State after a deploy: the object is not in memory and its session's socket is closed. */
async function deployed() {
  const world = await TestConnection.connected();
  await evictDurableObject(world.connection.stub, { webSockets: "close" });
  return world;
}

describe("a send to a session whose socket a deploy has closed", () => {
  it("has its bridge dial again at once, and succeeds", async () => {
    const { connection, bridge, session } = await deployed();
    const sending = connection.send("hello");
    const { placement } = await bridge.control.next("redial");
    expect(placement).toEqual({ connection: connection.uuid, generation: session.generation });
    const again = await session.redial();
    const request = (await again.answer("send")) as SendRequest;
    await again.settle(request.message_id, acknowledged(request.message_id, "hello"));
    expect(await sending).toMatchObject({ ok: true });
  });

  it("asks once for all that wait", async () => {
    const { connection, bridge, session } = await deployed();
    const sendings = ["one", "two", "three"].map((text) => connection.send(text));
    await bridge.control.next("redial");
    const again = await session.redial();
    for (const _ of sendings) {
      const request = (await again.answer("send")) as SendRequest;
      await again.settle(request.message_id, acknowledged(request.message_id, "hello"));
    }
    for (const sending of sendings) expect(await sending).toMatchObject({ ok: true });
    expect(bridge.control.rest).toEqual([]);
  });

  it("asks again until the bridge's own socket is back", async () => {
    const { connection, bridge, session } = await TestConnection.connected();
    await bridge.left();
    await evictDurableObject(connection.stub, { webSockets: "close" });
    const sending = connection.send("hello");
    const placement = { connection: connection.uuid, generation: session.generation };
    const back = await connection.bridge({ id: bridge.id, sessions: [placement] });
    expect((await back.control.next("redial")).placement).toEqual(placement);
    const again = await session.redial();
    const request = (await again.answer("send")) as SendRequest;
    await again.settle(request.message_id, acknowledged(request.message_id, "hello"));
    expect(await sending).toMatchObject({ ok: true });
  });
});

it("a later caller with a longer deadline keeps the requests to the bridge going", async () => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
  let asked = 0;
  const request = new RedialRequest(
    () => true,
    async () => (asked += 1) < 0,
  );
  const start = Date.now();
  const first = request.until(start + 1_000);
  void request.until(start + 3_000);
  void request.until(start + 2_000);
  await vi.advanceTimersByTimeAsync(1_000);
  const untilFirst = asked;
  await vi.advanceTimersByTimeAsync(4_000);
  await first;
  expect([untilFirst, asked]).toEqual([3, 6]);
  vi.useRealTimers();
});

it("a commit on a session's previous socket is stored and takes effect after a redial", async () => {
  const { connection, bridge, session } = await TestConnection.connected();
  const assigned = async () => {
    bridge.say({ type: "load", sessions: 1, rss_mb: 100, cpu: 0 });
    return (await pool().list()).bridges.find(({ id }) => id === bridge.id)?.assigned;
  };
  expect(await assigned()).toBe(1);
  await session.redial();
  session.put([event.closed("logged_out", 401)]);
  await vi.waitFor(async () => expect(await connection.status()).toBe("disconnected/logged_out"));
  await vi.waitFor(async () => expect(await assigned()).toBe(0));
});
