// The Connection API's webhook: create, change, test, rotate, delete.
import { CONNECTION_WEBHOOK } from "#root/durable-objects/connection/delivery/connection-webhook.ts";
import { Endpoints } from "#root/durable-objects/connection/delivery/endpoints.ts";
import { Secrets } from "#root/durable-objects/connection/delivery/secrets.ts";
import { Webhook } from "standardwebhooks";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { DEFAULT_CONNECTION_EVENTS } from "@gateway/domain/webhooks/connection-events.ts";
import { connectionEvent } from "../../support/events/connection-events.ts";
import {
  all,
  type Connection,
  connection,
  freezeTime,
  HOOK,
  list,
  must,
  received,
  respond500,
  START,
  webhook,
  withWebhook,
} from "./delivery-connection.ts";
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";

beforeEach(() => freezeTime());

const verifies = (secret: string, fixture: Connection, index = -1) => {
  const arrival = fixture.outside.arrivals.at(index);
  return () => new Webhook(secret).verify(arrival?.body ?? "", Object.fromEntries(arrival?.headers ?? []));
};
const entries = (fixture: Connection) => fixture.outside.arrivals.at(-1)?.headers.get("webhook-signature")?.split(" ").length;

describe("creation", () => {
  const full = () => {
    throw new Error("database or disk is full: SQLITE_FULL");
  };
  it.each([
    ["its secret", () => vi.spyOn(Secrets.prototype, "add").mockImplementationOnce(full)],
    ["its offered events", () => vi.spyOn(Endpoints.prototype, "setOffered").mockImplementationOnce(full)],
  ])("leaves no webhook if %s cannot be stored, so that a repeated call creates it", async (_what, fillDisk) => {
    const fixture = connection();
    fillDisk();
    const remove = vi.spyOn(Endpoints.prototype, "remove").mockImplementation(full);
    await expect(webhook(fixture, (it) => it.put(HOOK, null))).rejects.toThrow("SQLITE_FULL");
    remove.mockRestore();
    expect(await webhook(fixture, (it) => it.get())).toMatchObject({ ok: false, failure: { code: "webhook_not_found" } });
    await fixture.crash();
    expect(must(await webhook(fixture, (it) => it.put(HOOK, null)))).toMatchObject({ created: true, secret: expect.any(String) });
  });

  it("subscribes a new webhook to everything but presence, and shows its secret once", async () => {
    const fixture = connection();
    const made = must(await webhook(fixture, (it) => it.put(HOOK, null)));
    expect(made).toEqual({
      url: HOOK,
      events: DEFAULT_CONNECTION_EVENTS,
      status: "active",
      disabled_at: null,
      last_success_at: null,
      created_at: START,
      failing_since: null,
      disables_at: null,
      previous_secret_until: null,
      can_reactivate: false,
      new_events: [],
      created: true,
      secret: expect.stringMatching(/^whsec_/),
    });
    expect(must(await webhook(fixture, (it) => it.put("https://hooks.example.com/new", ["presence", "call", "call"])))).toMatchObject({
      url: "https://hooks.example.com/new",
      events: ["presence", "call"],
      secret: null,
    });
    expect(must(await webhook(fixture, (it) => it.put(HOOK, null)))).toMatchObject({ events: ["presence", "call"] });
    await fixture.evict();
    expect(must(await webhook(fixture, (it) => it.get()))).toMatchObject({ url: HOOK, events: ["presence", "call"], created_at: START });
  });

  it("does not subscribe to an event type released later until it is chosen", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    // An older release, which did not know `message.received`, stored a list of names instead of "everything".
    const older = DEFAULT_CONNECTION_EVENTS.filter((type) => type !== "message.received");
    await fixture.in((_, sql) => {
      const { events } = sql.exec<{ events: string }>("SELECT events FROM endpoint").one();
      expect(JSON.parse(events)).toEqual(DEFAULT_CONNECTION_EVENTS);
      sql.exec("UPDATE endpoint SET events = ?, offered = ?", JSON.stringify(older), JSON.stringify([...older, "presence"]));
    });
    await fixture.evict();
    await fixture.emit(received());
    must(await webhook(fixture, (it) => it.put(HOOK, null)));
    await fixture.emit(received());
    // `message.received` counts as new until events are selected again; `presence` was already available.
    expect(must(await webhook(fixture, (it) => it.get()))).toMatchObject({ events: older, new_events: ["message.received"] });
    expect(fixture.outside.arrivals).toEqual([]);
    must(await webhook(fixture, (it) => it.put(HOOK, [...older, "message.received"])));
    await fixture.emit(received());
    expect(fixture.outside.arrivals).toHaveLength(1);
    expect(must(await webhook(fixture, (it) => it.put(HOOK, older))).new_events).toEqual([]);
    await fixture.evict();
    expect(must(await webhook(fixture, (it) => it.get())).new_events).toEqual([]);
  });

  it.each([["webhook.test"], ["message.delivered"], []])("refuses to subscribe to %j", async (...events) => {
    const fixture = connection();
    expect(await webhook(fixture, (it) => it.put(HOOK, events))).toMatchObject({ ok: false, failure: { code: "validation_error" } });
    expect(await webhook(fixture, (it) => it.get())).toMatchObject({ ok: false, failure: { code: "webhook_not_found" } });
  });

  it.each(["http://hooks.example.com/", "https://127.0.0.1/", "https://app.example.com/loop"])("refuses to send to %s", async (url) => {
    expect(await webhook(connection(), (it) => it.put(url, null))).toEqual({ ok: false, failure: { code: "url_not_allowed" } });
  });

  it("makes one webhook and one secret of two concurrent calls", async () => {
    const fixture = connection();
    const both = await webhook(fixture, (it) => [it.put(HOOK, null), it.put(HOOK, null)]);
    expect(both.map((made) => must(made).secret).filter((secret) => secret !== null)).toHaveLength(1);
    await fixture.emit(received());
    const secret = both.map((made) => must(made).secret).find((found) => found !== null);
    expect(verifies(secret ?? "", fixture)).not.toThrow();
  });

  it("stores no secret in plain text", async () => {
    const fixture = connection();
    const secret = await withWebhook(fixture);
    const stored = await fixture.in((_, sql) =>
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

  it("is deleted with its deliveries, and a new one has a new secret", async () => {
    const fixture = connection();
    const before = await withWebhook(fixture);
    fixture.outside.answer = respond500;
    await fixture.emit(received());
    expect(await webhook(fixture, (it) => it.delete())).toEqual({ ok: true, value: {} });
    for (const ask of ["get", "rotate", "reactivate", "delete"] as const) {
      expect(await webhook<unknown>(fixture, (it) => it[ask]())).toEqual({ ok: false, failure: { code: "webhook_not_found" } });
    }
    expect(await webhook(fixture, (it) => it.deliveries.test(CONNECTION_WEBHOOK))).toEqual({
      ok: false,
      failure: { code: "webhook_not_found" },
    });
    await fixture.runUntil(START + 48 * HOUR_MS);
    expect(fixture.outside.arrivals).toHaveLength(1);
    expect(await withWebhook(fixture)).not.toBe(before);
    expect(must(await webhook(fixture, (it) => it.deliveries.page(CONNECTION_WEBHOOK, all(20))))).toEqual({ items: [], more: false });
    expect(await fixture.in((_, sql) => sql.exec("SELECT count(*) AS n FROM delivery").one())).toEqual({ n: 0 });
  });
});

describe("the test action", () => {
  it("sends one signed webhook.test and returns the response's status", async () => {
    const fixture = connection();
    const secret = await withWebhook(fixture, ["call"]);
    expect(must(await webhook(fixture, (it) => it.deliveries.test(CONNECTION_WEBHOOK)))).toMatchObject({
      http_status: 200,
      latency_ms: 0,
      error: null,
    });
    expect(verifies(secret, fixture)).not.toThrow();
    expect(connectionEvent("webhook.test").parse(JSON.parse(fixture.outside.arrivals[0]?.body ?? "")).data.timestamp).toBe(START / 1_000);
    fixture.outside.answer = respond500;
    expect(must(await webhook(fixture, (it) => it.deliveries.test(CONNECTION_WEBHOOK)))).toMatchObject({
      http_status: 500,
      latency_ms: 0,
      error: "not_2xx",
    });
    fixture.outside.answer = () => Promise.reject(new Error("internal error; reference = secret"));
    expect(must(await webhook(fixture, (it) => it.deliveries.test(CONNECTION_WEBHOOK)))).toMatchObject({
      http_status: null,
      latency_ms: 0,
      error: "connection_failed",
      request: { headers: { "content-type": "application/json" } },
      response: null,
    });
    await fixture.runUntil(START + 48 * HOUR_MS);
    expect(fixture.outside.arrivals).toHaveLength(3);
    expect(must(await webhook(fixture, (it) => it.deliveries.page(CONNECTION_WEBHOOK, all(20))))).toEqual({ items: [], more: false });
  });
});

describe("the test action's exchange", () => {
  it("is shown with the sent request and at most 2 KB of the response body", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    fixture.outside.answer = async () => new Response(`x${"ã".repeat(2_000)}`, { status: 422, headers: { "x-trace": "abc" } });
    const { request, response } = must(await webhook(fixture, (it) => it.deliveries.test(CONNECTION_WEBHOOK)));
    const [arrival] = fixture.outside.arrivals;
    expect(request).toEqual({ headers: Object.fromEntries(arrival?.headers ?? []), body: arrival?.body });
    expect(response?.headers["x-trace"]).toBe("abc");
    // The 2,048th byte is the first half of a character.
    expect(response?.body).toBe(`x${"ã".repeat(1_023)}`);
  });

  it("is shown when the receiver never ends its answer, or breaks it off", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    const ends = [() => new Promise<void>(() => undefined), () => Promise.reject(new Error("cut"))];
    for (const end of ends) {
      let begun = false;
      const body = new ReadableStream({
        pull(controller) {
          if (begun) return end();
          begun = true;
          controller.enqueue(new TextEncoder().encode("begun"));
          return Promise.resolve();
        },
      });
      fixture.outside.answer = async () => new Response(body, { status: 200 });
      expect(must(await webhook(fixture, (it) => it.deliveries.test(CONNECTION_WEBHOOK))).response?.body).toBe("begun");
    }
  });
});

describe("a delivery signed for a server of one's own", () => {
  it("is the stored body with headers that verify now, by every valid secret", async () => {
    const fixture = connection();
    const secret = await withWebhook(fixture);
    await fixture.emit(received());
    must(await webhook(fixture, (it) => it.rotate()));
    vi.setSystemTime(START + HOUR_MS);
    const [delivery] = await list(fixture);
    const { headers, body } = must(await webhook(fixture, (it) => it.signed(delivery?.id ?? "")));
    expect(body).toBe(fixture.outside.arrivals[0]?.body);
    expect(headers).toMatchObject({ "webhook-id": delivery?.id, "webhook-timestamp": String((START + HOUR_MS) / 1_000) });
    expect(headers["webhook-signature"]?.split(" ")).toHaveLength(2);
    expect(() => new Webhook(secret).verify(body, headers)).not.toThrow();
    expect(fixture.outside.arrivals).toHaveLength(1);
    expect(await webhook(fixture, (it) => it.signed("msg_unknown"))).toMatchObject({ failure: { code: "delivery_not_found" } });
  });
});

describe("rotating the secret", () => {
  it("signs with both secrets for 24 hours, then with the new one alone", async () => {
    const fixture = connection();
    const old = await withWebhook(fixture);
    const { secret } = must(await webhook(fixture, (it) => it.rotate()));
    expect(secret).not.toBe(old);
    for (const at of [0, DAY_MS - 1]) {
      vi.setSystemTime(START + at);
      await fixture.emit(received());
      expect(entries(fixture)).toBe(2);
      expect(must(await webhook(fixture, (it) => it.get())).previous_secret_until).toBe(START + DAY_MS);
      expect(verifies(old, fixture)).not.toThrow();
      expect(verifies(secret, fixture)).not.toThrow();
    }
    await fixture.evict();
    vi.setSystemTime(START + 24 * HOUR_MS);
    await fixture.emit(received());
    expect(entries(fixture)).toBe(1);
    expect(must(await webhook(fixture, (it) => it.get())).previous_secret_until).toBeNull();
    expect(verifies(secret, fixture)).not.toThrow();
    expect(verifies(old, fixture)).toThrow("No matching signature");
    await fixture.runUntil(START + 26 * HOUR_MS);
    expect(await fixture.in((_, sql) => sql.exec("SELECT count(*) AS n FROM secret").one())).toEqual({ n: 1 });
  });

  it("leaves each secret its own 24 hours if it happens twice in a day", async () => {
    const fixture = connection();
    const first = await withWebhook(fixture);
    const second = must(await webhook(fixture, (it) => it.rotate())).secret;
    vi.setSystemTime(START + 10 * HOUR_MS);
    const third = must(await webhook(fixture, (it) => it.rotate())).secret;
    await fixture.emit(received());
    expect(entries(fixture)).toBe(3);
    for (const secret of [first, second, third]) expect(verifies(secret, fixture)).not.toThrow();
    vi.setSystemTime(START + 24 * HOUR_MS);
    await fixture.emit(received());
    expect(entries(fixture)).toBe(2);
    expect(verifies(first, fixture)).toThrow("No matching signature");
    expect(verifies(second, fixture)).not.toThrow();
    vi.setSystemTime(START + 34 * HOUR_MS);
    await fixture.emit(received());
    expect(entries(fixture)).toBe(1);
    expect(verifies(third, fixture)).not.toThrow();
  });

  it("is refused at ten valid secrets, until the first one expires", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    for (let times = 0; times < 9; times += 1) must(await webhook(fixture, (it) => it.rotate()));
    vi.setSystemTime(START + HOUR_MS);
    expect(await webhook(fixture, (it) => it.rotate())).toEqual({ ok: false, failure: { code: "rate_limited", retryAfter: 23 * 3_600 } });
    vi.setSystemTime(START + 24 * HOUR_MS);
    must(await webhook(fixture, (it) => it.rotate()));
  });
});
