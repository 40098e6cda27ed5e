// The life of Surface B's webhook: created, changed, rotated, disabled, reactivated, deleted.
import { Webhook } from "standardwebhooks";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { DEFAULT_CONNECTION_EVENTS } from "../../../src/domain/webhook-style/connection.ts";
import { accept, type Connection, connection, freezeTime, HOOK, HOUR, must, received, refuse, SECOND, START, withWebhook } from "./world.ts";

beforeEach(() => freezeTime());

const webhook = <T>(world: Connection, ask: (webhook: Parameters<Parameters<Connection["in"]>[0]>[0]["deliveries"]["webhook"]) => T | Promise<T>) =>
  world.in(({ deliveries }) => ask(deliveries.webhook));
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
      url: HOOK, events: DEFAULT_CONNECTION_EVENTS, status: "active", disabled_at: null, last_success_at: null, created_at: START, secret: expect.stringMatching(/^whsec_/),
    });
    expect(must(await webhook(world, (it) => it.put("https://hooks.example.com/new", ["presence", "call", "call"])))).toMatchObject({
      url: "https://hooks.example.com/new", events: ["presence", "call"], secret: null,
    });
    expect(must(await webhook(world, (it) => it.put(HOOK, null)))).toMatchObject({ events: ["presence", "call"] });
    await world.evict();
    expect(must(await webhook(world, (it) => it.get()))).toMatchObject({ url: HOOK, events: ["presence", "call"], created_at: START });
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
    const stored = await world.in((_, sql) => JSON.stringify(sql.exec("SELECT * FROM secret").toArray().map((row) => [...new Uint8Array(row["sealed"] as ArrayBuffer)].map((byte) => String.fromCharCode(byte)).join(""))));
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
    await world.runUntil(START + 48 * HOUR);
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
    expect(JSON.parse(world.outside.arrivals[0]?.body ?? "")).toMatchObject({ type: "webhook.test", created_at: new Date(START).toISOString(), data: { message: expect.any(String) } });
    world.outside.answer = refuse;
    expect(must(await webhook(world, (it) => it.test()))).toEqual({ http_status: 500, latency_ms: 0, error: "not_2xx" });
    world.outside.answer = () => Promise.reject(new Error("internal error; reference = secret"));
    expect(must(await webhook(world, (it) => it.test()))).toEqual({ http_status: null, latency_ms: 0, error: "connection_failed" });
    await world.runUntil(START + 48 * HOUR);
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
    for (const at of [0, 24 * HOUR - 1]) {
      vi.setSystemTime(START + at);
      await world.happen(received());
      expect(entries(world)).toBe(2);
      expect(verifies(old, world)).not.toThrow();
      expect(verifies(secret, world)).not.toThrow();
    }
    await world.evict();
    vi.setSystemTime(START + 24 * HOUR);
    await world.happen(received());
    expect(entries(world)).toBe(1);
    expect(verifies(secret, world)).not.toThrow();
    expect(verifies(old, world)).toThrow();
    await world.runUntil(START + 26 * HOUR);
    expect(await world.in((_, sql) => sql.exec("SELECT count(*) AS n FROM secret").one())).toEqual({ n: 1 });
  });

  it("twice in a day leaves each secret its own 24 hours", async () => {
    const world = connection();
    const first = await withWebhook(world);
    const second = must(await webhook(world, (it) => it.rotate())).secret;
    vi.setSystemTime(START + 10 * HOUR);
    const third = must(await webhook(world, (it) => it.rotate())).secret;
    await world.happen(received());
    expect(entries(world)).toBe(3);
    for (const secret of [first, second, third]) expect(verifies(secret, world)).not.toThrow();
    vi.setSystemTime(START + 24 * HOUR);
    await world.happen(received());
    expect(entries(world)).toBe(2);
    expect(verifies(first, world)).toThrow();
    expect(verifies(second, world)).not.toThrow();
    vi.setSystemTime(START + 34 * HOUR);
    await world.happen(received());
    expect(entries(world)).toBe(1);
    expect(verifies(third, world)).not.toThrow();
  });

  it("ends at ten valid secrets, until the first one expires", async () => {
    const world = connection();
    await withWebhook(world);
    for (let times = 0; times < 9; times += 1) must(await webhook(world, (it) => it.rotate()));
    vi.setSystemTime(START + HOUR);
    expect(await webhook(world, (it) => it.rotate())).toEqual({ ok: false, failure: { code: "rate_limited", retryAfter: 23 * 3_600 } });
    vi.setSystemTime(START + 24 * HOUR);
    must(await webhook(world, (it) => it.rotate()));
  });
});

describe("disabling", () => {
  /** One event every 12 hours at a receiver that refuses all of them. */
  async function failFor(world: Connection, hours: number): Promise<void> {
    world.outside.answer = refuse;
    const from = Date.now();
    for (let hour = 0; hour < hours; hour += 12) {
      await world.happen(received());
      await world.runUntil(from + Math.min(hour + 12, hours) * HOUR - 1);
    }
    vi.setSystemTime(from + hours * HOUR);
  }

  it("happens at the first failure 72 hours after the first one, with one mail, and nothing is tried any more", async () => {
    const world = connection();
    await withWebhook(world);
    await failFor(world, 72);
    expect(must(await webhook(world, (it) => it.get())).status).toBe("active");
    await world.happen(received());
    expect(must(await webhook(world, (it) => it.get()))).toMatchObject({ status: "disabled", disabled_at: START + 72 * HOUR });
    await world.runUntil(START + 100 * HOUR);
    const sent = world.outside.arrivals.length;
    await failFor(world, 5);
    expect(world.outside.arrivals).toHaveLength(sent);
    expect(world.outside.mails).toHaveLength(1);
    expect(world.outside.mails[0]?.subject).toBe("Webhook desativado: Loja");
    expect(world.outside.mails[0]?.text).toContain(HOOK);
    const { items } = must(await webhook(world, (it) => it.deliveries(100)));
    expect(items.filter(({ status }) => status === "pending")).toEqual([]);
    const skipped = items.filter(({ status }) => status === "skipped");
    expect(skipped.length).toBeGreaterThanOrEqual(3);
    expect(skipped.every(({ last_error, next_attempt_at }) => last_error === "webhook_disabled" && next_attempt_at === null)).toBe(true);
  });

  it("never happens while anything is accepted now and then", async () => {
    const world = connection();
    await withWebhook(world);
    await failFor(world, 60);
    world.outside.answer = accept;
    await world.happen(received());
    await failFor(world, 72);
    expect(must(await webhook(world, (it) => it.get())).status).toBe("active");
    expect(world.outside.mails).toEqual([]);
  });

  it("never happens by silence alone", async () => {
    const world = connection();
    await withWebhook(world);
    world.outside.answer = refuse;
    await world.happen(received());
    await world.runUntil(START + 90 * HOUR);
    expect(must(await webhook(world, (it) => it.get())).status).toBe("active");
    await world.happen(received());
    expect(must(await webhook(world, (it) => it.get())).status).toBe("disabled");
  });

  it("mails again when the mail could not be sent, until it could", async () => {
    const world = connection();
    await withWebhook(world);
    world.outside.mailWorks = false;
    await failFor(world, 72);
    await world.happen(received());
    await world.runUntil(START + 72 * HOUR + 30 * SECOND);
    expect(world.outside.mails).toEqual([]);
    await world.evict();
    world.outside.mailWorks = true;
    await world.runUntil(START + 80 * HOUR);
    expect(world.outside.mails).toHaveLength(1);
  });

  it("ends by reactivating, after a test event was accepted since then; what was skipped can be sent again", async () => {
    const world = connection();
    await withWebhook(world);
    world.outside.answer = accept;
    must(await webhook(world, (it) => it.test()));
    await failFor(world, 72);
    await world.happen(received());
    await world.runUntil(START + 73 * HOUR);
    const before = world.outside.arrivals.length;
    const { items } = must(await webhook(world, (it) => it.deliveries(100)));
    expect(await webhook(world, (it) => it.resend(items[0]?.id ?? ""))).toEqual({ ok: false, failure: { code: "test_first" } });
    expect(await webhook(world, (it) => it.reactivate())).toEqual({ ok: false, failure: { code: "test_first" } });
    must(await webhook(world, (it) => it.test()));
    expect(await webhook(world, (it) => it.reactivate())).toEqual({ ok: false, failure: { code: "test_first" } });
    world.outside.answer = accept;
    vi.setSystemTime(Date.now() + SECOND);
    must(await webhook(world, (it) => it.test()));
    must(await webhook(world, (it) => it.put("https://hooks.example.com/other", null)));
    expect(await webhook(world, (it) => it.reactivate())).toEqual({ ok: false, failure: { code: "test_first" } });
    must(await webhook(world, (it) => it.put(HOOK, null)));
    must(await webhook(world, (it) => it.test()));
    expect(must(await webhook(world, (it) => it.reactivate()))).toMatchObject({ status: "active", disabled_at: null });
    await world.settle();
    expect(world.outside.arrivals).toHaveLength(before + 3);
    await world.happen(received());
    expect(world.outside.arrivals).toHaveLength(before + 4);
    const { count } = must(await webhook(world, (it) => it.resendFailed(START)));
    expect(count).toBe(7);
    await world.runUntil(Date.now() + SECOND);
    expect(world.outside.arrivals).toHaveLength(before + 4 + 7);
    world.outside.answer = refuse;
    await world.happen(received());
    expect(must(await webhook(world, (it) => it.get())).status).toBe("active");
  });

  it("keeps what happens meanwhile, to be sent again", async () => {
    const world = connection();
    await withWebhook(world);
    await failFor(world, 72);
    await world.happen(received());
    await world.runUntil(START + 74 * HOUR);
    await world.happen(received("meanwhile"));
    const { items } = must(await webhook(world, (it) => it.deliveries(1)));
    expect(items[0]).toMatchObject({ status: "skipped", attempts: 0, last_error: "webhook_disabled" });
    expect(must(await webhook(world, (it) => it.delivery(items[0]?.id ?? ""))).request_body).toContain("meanwhile");
  });
});
