// The complete retry schedule of both APIs, driven by the object's own alarms, at exact offsets.
import { Webhook } from "standardwebhooks";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { jitterMs } from "@gateway/domain/webhooks/delivery.ts";
import { STYLES } from "@gateway/domain/webhooks/style/styles.ts";
import {
  respond204,
  type Connection,
  connection,
  endpoint,
  freezeTime,
  HOOK,
  idOf,
  list,
  received,
  respond500,
  START,
  withWebhook,
} from "./delivery-connection.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";

beforeEach(() => freezeTime());

/** Due times of one delivery's attempts, as offsets from the first, including jitter. */
function offsets(id: string, delaysS: readonly number[], retries: number): number[] {
  const all = [0];
  for (let retry = 1; retry <= retries; retry += 1) {
    const delayS = delaysS[retry - 1] ?? Number.NaN;
    all.push((all.at(-1) ?? 0) + delayS * 1_000 + jitterMs(id, retry, delayS));
  }
  return all;
}

const arrivalTimes = (fixture: Connection) => fixture.outside.arrivals.map(({ at }) => at - START);

describe("a Connection API delivery", () => {
  it("is attempted eight times over its schedule, with the same bytes and id, each attempt signed anew", async () => {
    const fixture = connection();
    const secret = await withWebhook(fixture);
    fixture.outside.answer = respond500;
    await fixture.emit(received("olá 👋"));
    await fixture.runUntil(START + 40 * HOUR_MS);
    const { arrivals } = fixture.outside;
    const id = idOf(arrivals[0]?.body ?? "");
    expect(id).toMatch(/^msg_[0-9a-f]{32}$/);
    expect(arrivalTimes(fixture)).toEqual(offsets(id, STYLES.connection.delaysS, 7));
    expect(new Set(arrivals.map(({ body }) => body)).size).toBe(1);
    for (const { at, headers, body, url, redirect } of arrivals) {
      expect(url).toBe(HOOK);
      expect(redirect).toBe("manual");
      expect(headers.get("webhook-id")).toBe(id);
      expect(headers.get("webhook-timestamp")).toBe(String(Math.floor(at / 1_000)));
      expect(headers.get("content-type")).toBe("application/json");
      expect(headers.get("user-agent")).toBe("Service-Webhooks/1.0");
      vi.setSystemTime(at);
      expect(() => new Webhook(secret).verify(body, Object.fromEntries(headers))).not.toThrow();
    }
    vi.setSystemTime(START + 40 * HOUR_MS);
    const items = await list(fixture);
    expect(items).toMatchObject([
      { id, status: "failed", attempts: 8, http_status: 500, last_error: "not_2xx", next_attempt_at: null, delivered_at: null },
    ]);
  });

  it.each([0, 1, 2, 3, 4, 5, 6, 7])("is accepted at the next attempt after %i refusals, and not sent again", async (failures) => {
    const fixture = connection();
    await withWebhook(fixture);
    fixture.outside.answer = () => (fixture.outside.arrivals.length > failures ? respond204() : respond500());
    await fixture.emit(received());
    await fixture.runUntil(START + 40 * HOUR_MS);
    expect(fixture.outside.arrivals).toHaveLength(failures + 1);
    const items = await list(fixture);
    expect(items[0]).toMatchObject({
      status: "delivered",
      attempts: failures + 1,
      http_status: 204,
      last_error: null,
      delivered_at: fixture.outside.arrivals.at(-1)?.at,
    });
  });

  it("shows when its next attempt is due, and the last attempt's error", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    fixture.outside.answer = () => new Response(null, { status: 302, headers: { location: "https://elsewhere.example.com" } });
    await fixture.emit(received());
    const items = await list(fixture);
    expect(items[0]).toMatchObject({
      status: "pending",
      attempts: 1,
      http_status: 302,
      last_error: "redirect",
      next_attempt_at: START + 5_000,
    });
  });
});

describe("an Account API delivery", () => {
  it.each([0, 1, 2, 3, 4, 5])("is retried %i times when its endpoint says so, and not once more", async (retries) => {
    const fixture = connection();
    await fixture.in(({ deliveries }) => deliveries.account.replace([endpoint({ retry_count: retries })]));
    fixture.outside.answer = respond500;
    await fixture.emit(received());
    await fixture.runUntil(START + 10 * HOUR_MS);
    const id = idOf(fixture.outside.arrivals[0]?.body ?? "");
    expect(arrivalTimes(fixture)).toEqual(offsets(id, STYLES.account.delaysS, retries));
    expect(new Set(fixture.outside.arrivals.map(({ body }) => body)).size).toBe(1);
  });

  it("is signed with the endpoint's secret over its bytes, and carries its headers", async () => {
    const fixture = connection();
    const custom = { "X-Team": "blue", "User-Agent": "Mine/1" };
    await fixture.in(({ deliveries }) =>
      deliveries.account.replace([endpoint({ secret: "segredo", headers: custom }), endpoint({ url: "https://hooks.example.com/plain" })]),
    );
    await fixture.emit(received("olá 👋"));
    const [signed, plain] = fixture.outside.arrivals.toSorted((a, b) => a.url.localeCompare(b.url));
    const key = await crypto.subtle.importKey("raw", new TextEncoder().encode("segredo"), { name: "HMAC", hash: "SHA-256" }, false, [
      "sign",
    ]);
    const mac = new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(signed?.body)));
    expect(signed?.headers.get("x-service-signature")).toBe([...mac].map((byte) => byte.toString(16).padStart(2, "0")).join(""));
    expect(signed?.headers.get("x-team")).toBe("blue");
    expect(signed?.headers.get("user-agent")).toBe("Mine/1");
    expect(plain?.headers.has("x-service-signature")).toBe(false);
  });

  it("has an id of its own at every endpoint", async () => {
    const fixture = connection();
    await fixture.in(({ deliveries }) => deliveries.account.replace([endpoint(), endpoint()]));
    await fixture.emit(received());
    const ids = fixture.outside.arrivals.map(({ body }) => idOf(body));
    expect(new Set(ids).size).toBe(2);
  });
});

it("each event is delivered to both APIs in their own styles, only where subscribed", async () => {
  const fixture = connection();
  await withWebhook(fixture, ["message.received"]);
  await fixture.in(({ deliveries }) =>
    deliveries.account.replace([endpoint(), endpoint({ events: ["message.sent"], url: "https://hooks.example.com/other" })]),
  );
  await fixture.emit(received());
  expect(fixture.outside.arrivals.map(({ url }) => url).toSorted()).toEqual(["https://hooks.example.com/a", HOOK]);
  const bodies = fixture.outside.arrivals.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  expect(bodies).toContainEqual(
    expect.objectContaining({ type: "message.received", instance: { id: 7, name: "Loja", phone: "5511900000001" } }),
  );
  expect(bodies).toContainEqual(
    expect.objectContaining({ event: "message.received", instance_id: "0189a5b2-7c3d-7e4f-8a9b-0c1d2e3f4a5b" }),
  );
});

it("an event that is reported twice makes one delivery", async () => {
  const fixture = connection();
  await withWebhook(fixture);
  const fact = received();
  await fixture.emit(fact, fact);
  await fixture.emit(fact);
  expect(fixture.outside.arrivals).toHaveLength(1);
});

describe("a traced event", () => {
  it("has each of its attempts in its trace, after a restart too", async () => {
    const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const fixture = connection();
    await withWebhook(fixture);
    fixture.outside.answer = () => respond500();
    await fixture.emit({ ...received("traced"), trace }, received("untraced"));
    await fixture.evict();
    fixture.outside.answer = () => respond204();
    await fixture.runUntil(START + HOUR_MS);
    expect(fixture.outside.arrivals).toHaveLength(4);
    expect(fixture.outside.arrivals.some(({ headers }) => headers.has("traceparent"))).toBe(false);
    const attempts = fixture.outside.attempts.map(({ attributes, ...attempt }) => ({
      ...attempt,
      number: attributes["gateway.attempt"],
      status: attributes["http.response.status_code"],
    }));
    expect(attempts).toMatchObject([
      { trace, failed: true, number: 1, status: 500 },
      { trace, failed: false, number: 2, status: 204 },
    ]);
  });
});
