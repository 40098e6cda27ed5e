// An endpoint's deliveries as its owner sees them (docs/use/account-api.md, "Webhook endpoints").
import { createHmac } from "node:crypto";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Env } from "#root/src/env.ts";
import { accountGuardStub } from "#root/src/services/accounts/guard.ts";
import type { FakeSession } from "../fakes/bridge.ts";
import { theirText } from "../fakes/messages.ts";
import { afterMs, allDisconnected, connectedInstance, CustomerServer } from "../support/account-session.ts";
import { type Calls, codeOf, holder } from "../support/accounts.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";

const URL = "https://hooks.example.net/a";

let server: CustomerServer;
beforeEach(() => {
  server = new CustomerServer();
});
afterEach(allDisconnected);

const arrive = (session: FakeSession, ...ids: string[]) =>
  session.commit(ids.map((id) => ({ type: "message.upsert" as const, message: theirText(id, `text ${id}`), origin: "live" as const })));

async function endpoint(call: Calls, change: Record<string, unknown> = {}): Promise<string> {
  const made = await call("POST", "/webhooks", { url: URL, events: ["message.received"], retry_count: 0, ...change });
  expect(made.status).toBe(201);
  return made.body.data.id;
}

/** The list once no delivery has attempts left. */
async function settled(call: Calls, webhook: string, query = ""): Promise<any[]> {
  return vi.waitFor(async () => {
    const { data } = (await call("GET", `/webhooks/${webhook}/deliveries${query}`)).body;
    if (data.some((each: any) => each.status === "pending" && each.attempts === 0)) throw new Error("still on its way");
    return data;
  });
}

describe("the list", () => {
  it("shows a delivery with the documented fields", async () => {
    const { call } = await holder();
    const { id, session } = await connectedInstance(call);
    const webhook = await endpoint(call, { instance_id: id });
    await arrive(session, "A1");
    await server.deliveries(1);
    const [delivery, ...more] = await settled(call, webhook);
    expect(more).toEqual([]);
    expect(delivery).toEqual({
      id: JSON.parse(server.arrivals[0]?.body ?? "{}").id,
      event: "message.received",
      instance_id: id,
      status: "delivered",
      http_status: 200,
      attempts: 1,
      created_at: expect.stringMatching(/Z$/),
      delivered_at: expect.stringMatching(/Z$/),
      next_attempt_at: null,
      last_error: null,
    });
    const { data } = (await call("GET", `/webhooks/${webhook}/deliveries/${delivery.id}`)).body;
    expect(data).toEqual({
      ...delivery,
      request_body: server.arrivals[0]?.body,
      attempt_log: [{ at: expect.stringMatching(/Z$/), http_status: 200, latency_ms: expect.any(Number), error: null }],
    });
  });

  it("merges the deliveries of every instance, newest first, paged and filtered", async () => {
    const { call, who } = await holder();
    const [one, two] = [await connectedInstance(call), await connectedInstance(call)];
    const webhook = await endpoint(call, { events: ["message.received", "message.reaction"] });
    // Each in a millisecond of its own, because deliveries of the same one have no order.
    vi.useFakeTimers({ toFake: ["Date"] });
    for (const [index, session] of [one.session, two.session, one.session].entries()) {
      await arrive(session, `B${index}`);
      vi.advanceTimersByTime(1);
    }
    // The status is read when a delivery arrives.
    await server.deliveries(3);
    server.status = 500;
    await arrive(two.session, "B3");
    await server.deliveries(4);
    const all = await settled(call, webhook);
    expect(all.map(({ instance_id }) => instance_id)).toEqual([two.id, one.id, two.id, one.id]);
    expect(all[0]).toMatchObject({ status: "failed", http_status: 500, delivered_at: null, last_error: expect.stringContaining("2xx") });
    const ids = async (query: string) =>
      (await call("GET", `/webhooks/${webhook}/deliveries?${query}`)).body.data.map(({ id }: { id: string }) => id);
    // The failing connection is reported to the guard in the background.
    const { user } = who;
    await vi.waitFor(async () =>
      expect(await accountGuardStub(env as unknown as Env, user.id).failingConnections(webhook)).toEqual([two.id]),
    );
    const [failed, ...delivered] = all.map(({ id }) => id);
    expect(await ids("status=failed")).toEqual([failed]);
    expect(await ids("status=delivered")).toEqual(delivered);
    expect(await ids("status=pending")).toEqual([]);
    expect(await ids("event=message.reaction")).toEqual([]);
    expect(await ids(`instance_id=${one.id}`)).toEqual([all[1].id, all[3].id]);
    const first = await call("GET", `/webhooks/${webhook}/deliveries?limit=3`);
    expect(await ids(`limit=3&cursor=${first.body.next_cursor}`)).toEqual([all[3].id]);
    expect(codeOf(await call("GET", `/webhooks/${webhook}/deliveries?limit=101`))).toEqual([400, "validation_error"]);
  });
});

describe("a failed delivery", () => {
  it("is sent again under the same id, with the same bytes", async () => {
    const { call } = await holder();
    const { session } = await connectedInstance(call);
    const webhook = await endpoint(call, { secret: "segredo" });
    server.status = 503;
    await arrive(session, "C1");
    await server.deliveries(1);
    const [failed] = await settled(call, webhook);
    expect(failed).toMatchObject({ status: "failed", http_status: 503, attempts: 1 });
    server.status = 204;
    const resent = await call("POST", `/webhooks/${webhook}/deliveries/${failed.id}/resend`);
    expect(resent.body).toEqual({ message: "The delivery is being sent again, with the same id." });
    const [first, second] = await server.deliveries(2);
    expect(second?.body).toBe(first?.body);
    expect(second?.headers.get("x-service-signature")).toBe(
      createHmac("sha256", "segredo")
        .update(second?.body ?? "")
        .digest("hex"),
    );
    await vi.waitFor(async () =>
      expect((await settled(call, webhook))[0]).toMatchObject({ id: failed.id, status: "delivered", attempts: 2 }),
    );
  });

  it("is sent again with all others of a time range", async () => {
    const { call } = await holder();
    const { session } = await connectedInstance(call);
    const webhook = await endpoint(call);
    server.status = 500;
    await arrive(session, "D1", "D2");
    await server.deliveries(2);
    await settled(call, webhook);
    server.status = 200;
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    const again = (body: object) => call("POST", `/webhooks/${webhook}/resend`, body);
    expect((await again({ since: at(-MINUTE_MS), until: at(-MINUTE_MS / 2) })).body.message).toMatch(/^0 deliveries/);
    const answer = await again({ since: at(-MINUTE_MS) });
    expect([answer.status, answer.body.message]).toEqual([202, "2 deliveries are being sent again, with the same ids."]);
    expect(new Set((await server.deliveries(4)).map(({ body }) => JSON.parse(body).id)).size).toBe(2);
    expect(codeOf(await again({ since: at(-8 * 24 * 60 * MINUTE_MS) }))).toEqual([400, "validation_error"]);
  });

  it("is not resent while the endpoint is inactive", async () => {
    const { call } = await holder();
    const { session } = await connectedInstance(call);
    const webhook = await endpoint(call);
    server.status = 500;
    await arrive(session, "E1");
    await server.deliveries(1);
    const [failed] = await settled(call, webhook);
    await call("PATCH", `/webhooks/${webhook}`, { is_active: false });
    expect(codeOf(await call("POST", `/webhooks/${webhook}/deliveries/${failed.id}/resend`))).toEqual([409, "webhook_inactive"]);
  });
});

describe("a delivery that waits for its retry", () => {
  it("goes to the endpoint's current url, and is dropped when the endpoint is deleted", async () => {
    const { call } = await holder();
    const { id, session } = await connectedInstance(call);
    vi.useFakeTimers({ toFake: ["Date"] });
    const webhook = await endpoint(call, { retry_count: 5 });
    server.status = 500;
    await arrive(session, "F1");
    await server.deliveries(1);
    expect((await settled(call, webhook))[0]).toMatchObject({ status: "pending", attempts: 1, next_attempt_at: expect.any(String) });
    await call("PATCH", `/webhooks/${webhook}`, { url: "https://hooks.example.net/b", secret: "new" });
    await afterMs(id, 11_000);
    const [, second] = await server.deliveries(2);
    expect([second?.url, second?.headers.has("x-service-signature")]).toEqual(["https://hooks.example.net/b", true]);
    expect((await call("DELETE", `/webhooks/${webhook}`)).status).toBe(200);
    for (let hour = 0; hour < 4; hour += 1) await afterMs(id, 60 * MINUTE_MS);
    expect(server.arrivals).toHaveLength(2);
    expect(codeOf(await call("GET", `/webhooks/${webhook}/deliveries`))).toEqual([404, "webhook_not_found"]);
  });
});

describe("the test event", () => {
  it("is signed and sent once, and the response contains its result", async () => {
    const { call } = await holder();
    await connectedInstance(call);
    const webhook = await endpoint(call, { secret: "segredo", headers: { "X-Env": "prod" } });
    server.status = 418;
    const { data } = (await call("POST", `/webhooks/${webhook}/test`)).body;
    expect(data).toEqual({ http_status: 418, latency_ms: expect.any(Number), error: expect.stringContaining("2xx") });
    const [sent] = server.arrivals;
    expect(JSON.parse(sent?.body ?? "{}")).toMatchObject({ event: "webhook.test" });
    expect(sent?.headers.get("x-env")).toBe("prod");
    expect(sent?.headers.get("x-service-signature")).toBe(
      createHmac("sha256", "segredo")
        .update(sent?.body ?? "")
        .digest("hex"),
    );
    expect(await settled(call, webhook)).toEqual([]);
  });
});
