// The life of the Connection API's webhook: created, changed, tested, rotated, deleted.
import { Webhook } from "standardwebhooks";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { DEFAULT_CONNECTION_EVENTS } from "../../../src/domain/webhooks/style/connection.ts";
import { connectionEvent } from "../../support/connection-events.ts";
import { type Connection, connection, freezeTime, HOOK, must, received, refuse, START, webhook, withWebhook } from "./world.ts";
import { DAY_MS, HOUR_MS } from "../../../src/protocol/units.ts";

beforeEach(() => freezeTime());

const verifies = (secret: string, world: Connection, index = -1) => {
  const arrival = world.outside.arrivals.at(index);
  return () => new Webhook(secret).verify(arrival?.body ?? "", Object.fromEntries(arrival?.headers ?? []));
};
const entries = (world: Connection) => world.outside.arrivals.at(-1)?.headers.get("webhook-signature")?.split(" ").length;

describe("setting it up", () => {
  it("subscribes a new one to everything but presence, and shows its secret once", async () => {
    const world = connection();
    const made = must(await webhook(world, (it) => it.put(HOOK, null)));
    expect(made).toEqual({
      url: HOOK,
      events: DEFAULT_CONNECTION_EVENTS,
      status: "active",
      disabled_at: null,
      last_success_at: null,
      created_at: START,
      secret: expect.stringMatching(/^whsec_/),
    });
    expect(must(await webhook(world, (it) => it.put("https://hooks.example.com/new", ["presence", "call", "call"])))).toMatchObject({
      url: "https://hooks.example.com/new",
      events: ["presence", "call"],
      secret: null,
    });
    expect(must(await webhook(world, (it) => it.put(HOOK, null)))).toMatchObject({ events: ["presence", "call"] });
    await world.evict();
    expect(must(await webhook(world, (it) => it.get()))).toMatchObject({ url: HOOK, events: ["presence", "call"], created_at: START });
  });

  it("gets no type that came into being after it, until it is ticked", async () => {
    const world = connection();
    await withWebhook(world);
    // As a release that did not know `message.received` yet would have stored it: by name, not as "everything".
    const older = DEFAULT_CONNECTION_EVENTS.filter((type) => type !== "message.received");
    await world.in((_, sql) => {
      const { events } = sql.exec<{ events: string }>("SELECT events FROM endpoint").one();
      expect(JSON.parse(events)).toEqual(DEFAULT_CONNECTION_EVENTS);
      sql.exec("UPDATE endpoint SET events = ?", JSON.stringify(older));
    });
    await world.evict();
    await world.happen(received());
    must(await webhook(world, (it) => it.put(HOOK, null)));
    await world.happen(received());
    expect(must(await webhook(world, (it) => it.get())).events).toEqual(older);
    expect(world.outside.arrivals).toEqual([]);
    must(await webhook(world, (it) => it.put(HOOK, [...older, "message.received"])));
    await world.happen(received());
    expect(world.outside.arrivals).toHaveLength(1);
  });

  it.each([["webhook.test"], ["message.delivered"], []])("refuses to subscribe to %j", async (...events) => {
    const world = connection();
    expect(await webhook(world, (it) => it.put(HOOK, events))).toMatchObject({ ok: false, failure: { code: "validation_error" } });
    expect(await webhook(world, (it) => it.get())).toMatchObject({ ok: false, failure: { code: "webhook_not_found" } });
  });

  it.each(["http://hooks.example.com/", "https://127.0.0.1/", "https://app.example.com/loop"])("refuses to send to %s", async (url) => {
    expect(await webhook(connection(), (it) => it.put(url, null))).toEqual({ ok: false, failure: { code: "url_not_allowed" } });
  });

  it("makes one webhook and one secret of two that are asked for at once", async () => {
    const world = connection();
    const both = await webhook(world, (it) => Promise.all([it.put(HOOK, null), it.put(HOOK, null)]));
    expect(both.map((made) => must(made).secret).filter((secret) => secret !== null)).toHaveLength(1);
    await world.happen(received());
    const secret = both.map((made) => must(made).secret).find((found) => found !== null);
    expect(verifies(secret ?? "", world)).not.toThrow();
  });

  it("keeps no secret in the clear", async () => {
    const world = connection();
    const secret = await withWebhook(world);
    const stored = await world.in((_, sql) =>
      JSON.stringify(
        sql
          .exec("SELECT * FROM secret")
          .toArray()
          .map((row) => [...new Uint8Array(row["sealed"] as ArrayBuffer)].map((byte) => String.fromCharCode(byte)).join("")),
      ),
    );
    expect(stored).not.toContain(secret.slice("whsec_".length, -4));
    expect(stored).not.toContain(atob(secret.slice("whsec_".length)).slice(0, 8));
  });

  it("is gone when deleted, with its deliveries, and a new one has a new secret", async () => {
    const world = connection();
    const before = await withWebhook(world);
    world.outside.answer = refuse;
    await world.happen(received());
    expect(await webhook(world, (it) => it.delete())).toEqual({ ok: true, value: {} });
    for (const ask of ["get", "rotate", "test", "reactivate", "delete"] as const) {
      expect(await webhook<unknown>(world, (it) => it[ask]())).toEqual({ ok: false, failure: { code: "webhook_not_found" } });
    }
    await world.runUntil(START + 48 * HOUR_MS);
    expect(world.outside.arrivals).toHaveLength(1);
    expect(await withWebhook(world)).not.toBe(before);
    expect(must(await webhook(world, (it) => it.deliveries(20)))).toEqual({ items: [] });
    expect(await world.in((_, sql) => sql.exec("SELECT count(*) AS n FROM delivery").one())).toEqual({ n: 0 });
  });
});

describe("the test action", () => {
  it("sends one signed webhook.test and tells what was answered", async () => {
    const world = connection();
    const secret = await withWebhook(world, ["call"]);
    expect(must(await webhook(world, (it) => it.test()))).toEqual({ http_status: 200, latency_ms: 0, error: null });
    expect(verifies(secret, world)).not.toThrow();
    expect(connectionEvent("webhook.test").parse(JSON.parse(world.outside.arrivals[0]?.body ?? "")).data.timestamp).toBe(START / 1_000);
    world.outside.answer = refuse;
    expect(must(await webhook(world, (it) => it.test()))).toEqual({ http_status: 500, latency_ms: 0, error: "not_2xx" });
    world.outside.answer = () => Promise.reject(new Error("internal error; reference = secret"));
    expect(must(await webhook(world, (it) => it.test()))).toEqual({ http_status: null, latency_ms: 0, error: "connection_failed" });
    await world.runUntil(START + 48 * HOUR_MS);
    expect(world.outside.arrivals).toHaveLength(3);
    expect(must(await webhook(world, (it) => it.deliveries(20)))).toEqual({ items: [] });
  });
});

describe("rotating the secret", () => {
  it("signs with both for 24 hours, then with the new one alone", async () => {
    const world = connection();
    const old = await withWebhook(world);
    const { secret } = must(await webhook(world, (it) => it.rotate()));
    expect(secret).not.toBe(old);
    for (const at of [0, DAY_MS - 1]) {
      vi.setSystemTime(START + at);
      await world.happen(received());
      expect(entries(world)).toBe(2);
      expect(verifies(old, world)).not.toThrow();
      expect(verifies(secret, world)).not.toThrow();
    }
    await world.evict();
    vi.setSystemTime(START + 24 * HOUR_MS);
    await world.happen(received());
    expect(entries(world)).toBe(1);
    expect(verifies(secret, world)).not.toThrow();
    expect(verifies(old, world)).toThrow("No matching signature");
    await world.runUntil(START + 26 * HOUR_MS);
    expect(await world.in((_, sql) => sql.exec("SELECT count(*) AS n FROM secret").one())).toEqual({ n: 1 });
  });

  it("twice in a day leaves each secret its own 24 hours", async () => {
    const world = connection();
    const first = await withWebhook(world);
    const second = must(await webhook(world, (it) => it.rotate())).secret;
    vi.setSystemTime(START + 10 * HOUR_MS);
    const third = must(await webhook(world, (it) => it.rotate())).secret;
    await world.happen(received());
    expect(entries(world)).toBe(3);
    for (const secret of [first, second, third]) expect(verifies(secret, world)).not.toThrow();
    vi.setSystemTime(START + 24 * HOUR_MS);
    await world.happen(received());
    expect(entries(world)).toBe(2);
    expect(verifies(first, world)).toThrow("No matching signature");
    expect(verifies(second, world)).not.toThrow();
    vi.setSystemTime(START + 34 * HOUR_MS);
    await world.happen(received());
    expect(entries(world)).toBe(1);
    expect(verifies(third, world)).not.toThrow();
  });

  it("ends at ten valid secrets, until the first one expires", async () => {
    const world = connection();
    await withWebhook(world);
    for (let times = 0; times < 9; times += 1) must(await webhook(world, (it) => it.rotate()));
    vi.setSystemTime(START + HOUR_MS);
    expect(await webhook(world, (it) => it.rotate())).toEqual({ ok: false, failure: { code: "rate_limited", retryAfter: 23 * 3_600 } });
    vi.setSystemTime(START + 24 * HOUR_MS);
    must(await webhook(world, (it) => it.rotate()));
  });
});
