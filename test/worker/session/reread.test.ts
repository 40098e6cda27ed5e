// An object stores copies of facts in D1. What could not be pushed to it is read when it wakes.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Env } from "../../../src/env.ts";
import { theirText } from "../fakes/messages.ts";
import { allEnded, TestConnection } from "../fakes/connection.ts";
import { allDisconnected, connectedInstance, CustomerServer } from "../support/account-session.ts";
import { callsWith, codeOf, holder } from "../support/accounts.ts";
import { gateway } from "../support/gateway.ts";
import { CRASH } from "../support/crash.ts";

afterEach(async () => {
  await allEnded();
  await allDisconnected();
});

const subscriptionOf = async (connection: TestConnection) => {
  const got = await connection.ask("instance.get", {});
  return got.ok ? got.value.subscription?.status : got.code;
};

async function created(): Promise<TestConnection> {
  const connection = await TestConnection.create({ owner_id: crypto.randomUUID() });
  return connection;
}

describe("an object that wakes", () => {
  it("reads that the subscription has ended and that its name has changed", async () => {
    const connection = await created();
    await env.DB.batch([
      env.DB.prepare("UPDATE subscription SET status = 'canceled' WHERE user_id = ?").bind(connection.record.owner_id),
      env.DB.prepare("UPDATE connection SET name = 'Outra' WHERE uuid = ?").bind(connection.uuid),
    ]);
    expect(await subscriptionOf(connection)).toBe("active");
    await connection.crash();
    await vi.waitFor(async () => expect(await subscriptionOf(connection)).toBe("canceled"));
    const got = await connection.ask("instance.get", {});
    expect(got).toMatchObject({ ok: true, value: { name: "Outra" } });
  });

  it("sends a reconnected session the settings changed meanwhile", async () => {
    const { connection, session } = await TestConnection.connected();
    connection.record.settings = { ...connection.record.settings, ignore_groups: true };
    await connection.enterIntoD1();
    await connection.crash();
    const again = await session.redial();
    await vi.waitFor(async () => {
      const sent = again.frames.rest.some((frame) => frame.type === "settings" && frame.settings.ignore_groups);
      expect(sent || again.settings?.ignore_groups).toBe(true);
    });
  });

  it("reads endpoints that could not be pushed to it", async () => {
    const server = new CustomerServer();
    const { who, call } = await holder();
    const { id, session } = await connectedInstance(call);
    const deaf = {
      getByName: () => ({ accountEndpointsChanged: () => Promise.reject(Object.assign(new Error("moved"), { retryable: true })) }),
    };
    const mute = callsWith({ authorization: `Bearer ${who.token}` }, gateway({ CONNECTION: deaf as unknown as Env["CONNECTION"] }));
    const made = await mute("POST", "/webhooks", { url: "https://hooks.example.net/late", events: ["message.received"] });
    expect(made.status).toBe(201);
    const tested = () => call("POST", `/webhooks/${made.body.data.id}/test`);
    expect(codeOf(await tested())).toEqual([404, "webhook_not_found"]);
    await runInDurableObject(env.CONNECTION.getByName(id), (_object, state) => state.abort(CRASH)).catch(() => undefined);
    const again = await session.redial();
    await vi.waitFor(async () => expect((await tested()).status).toBe(200));
    await again.commit([{ type: "message.upsert", message: theirText("L1", "late"), origin: "live" }]);
    const [, second] = await server.deliveries(2);
    expect(JSON.parse(second?.body ?? "{}")).toMatchObject({ event: "message.received", data: { message_id: "L1" } });
  });
});
