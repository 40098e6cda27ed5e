// A webhook whose receiver never accepts a delivery is disabled after 72 hours with one email, and reactivated after a test.
import { CONNECTION_WEBHOOK } from "#root/durable-objects/connection/delivery/connection-webhook.ts";
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  all,
  respond204,
  type Connection,
  connection,
  freezeTime,
  HOOK,
  must,
  received,
  respond500,
  SECOND,
  START,
  webhook,
  withWebhook,
} from "./delivery-connection.ts";
import { HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";

beforeEach(() => freezeTime());

describe("disabling", () => {
  /** Emits one event every 12 hours to a receiver that refuses all of them. */
  async function failFor(fixture: Connection, hours: number): Promise<void> {
    fixture.outside.answer = respond500;
    const from = Date.now();
    for (let hour = 0; hour < hours; hour += 12) {
      await fixture.emit(received());
      await fixture.runUntil(from + Math.min(hour + 12, hours) * HOUR_MS - 1);
    }
    vi.setSystemTime(from + hours * HOUR_MS);
  }

  it("happens at the first failure 72 hours after the first one, with one email, and attempts stop", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    await failFor(fixture, 72);
    expect(must(await webhook(fixture, (it) => it.get()))).toMatchObject({
      status: "active",
      failing_since: START,
      disables_at: START + 72 * HOUR_MS,
    });
    await fixture.emit(received());
    expect(must(await webhook(fixture, (it) => it.get()))).toMatchObject({
      status: "disabled",
      disabled_at: START + 72 * HOUR_MS,
      disables_at: null,
      can_reactivate: false,
    });
    await fixture.runUntil(START + 100 * HOUR_MS);
    const sent = fixture.outside.arrivals.length;
    await failFor(fixture, 5);
    expect(fixture.outside.arrivals).toHaveLength(sent);
    expect(fixture.outside.mails).toHaveLength(1);
    expect(fixture.outside.mails[0]?.subject).toBe("Webhook desativado: Loja / Webhook disabled");
    expect(fixture.outside.mails[0]?.text).toContain(HOOK);
    const { items } = must(await webhook(fixture, (it) => it.deliveries.page(CONNECTION_WEBHOOK, all(100))));
    expect(items.filter(({ status }) => status === "pending")).toEqual([]);
    const skipped = items.filter(({ status }) => status === "skipped");
    expect(skipped.length).toBeGreaterThanOrEqual(3);
    expect(skipped.every(({ last_error, next_attempt_at }) => last_error === "webhook_disabled" && next_attempt_at === null)).toBe(true);
  });

  it("never happens because the gateway cannot sign: deliveries wait, and go out once it can", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    await fixture.evict();
    fixture.outside.hasVault = false;
    await fixture.emit(received());
    expect(await fixture.dueAt()).toBe(START + 10 * MINUTE_MS);
    // One alarm every ten minutes, and one more for each eviction in between.
    const alarms = await fixture.runUntil(START + HOUR_MS);
    expect(alarms).toBeLessThanOrEqual(13);
    expect(must(await webhook(fixture, (it) => it.get()))).toMatchObject({ status: "active", failing_since: null });
    expect(fixture.outside.arrivals).toEqual([]);
    expect(fixture.outside.lines.map(({ what }) => what)).toContain("delivery.not_signed");
    expect(fixture.outside.counts).not.toHaveProperty("error.webhook_connection_failed");
    await expect(webhook(fixture, (it) => it.deliveries.test(CONNECTION_WEBHOOK))).rejects.toThrow("not available");
    fixture.outside.hasVault = true;
    await fixture.evict();
    await fixture.runUntil(START + 2 * HOUR_MS);
    expect(must(await webhook(fixture, (it) => it.deliveries.page(CONNECTION_WEBHOOK, all(5)))).items).toMatchObject([
      { status: "delivered", attempts: 1 },
    ]);
  });

  it("never happens while a delivery is accepted now and then", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    await failFor(fixture, 60);
    fixture.outside.answer = respond204;
    await fixture.emit(received());
    await failFor(fixture, 72);
    expect(must(await webhook(fixture, (it) => it.get())).status).toBe("active");
    expect(fixture.outside.mails).toEqual([]);
  });

  it("never happens without an attempt that fails", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    fixture.outside.answer = respond500;
    await fixture.emit(received());
    await fixture.runUntil(START + 90 * HOUR_MS);
    expect(must(await webhook(fixture, (it) => it.get())).status).toBe("active");
    await fixture.emit(received());
    expect(must(await webhook(fixture, (it) => it.get())).status).toBe("disabled");
  });

  it("counts no failure from before an accepted test, whichever URL was tested", async () => {
    for (const repair of ["test", "new url"] as const) {
      const fixture = connection();
      vi.setSystemTime(START);
      await withWebhook(fixture);
      await failFor(fixture, 60);
      fixture.outside.answer = respond204;
      if (repair === "test") must(await webhook(fixture, (it) => it.deliveries.test(CONNECTION_WEBHOOK)));
      else must(await webhook(fixture, (it) => it.put("https://hooks.example.com/other", null)));
      await fixture.evict();
      fixture.outside.answer = respond500;
      vi.setSystemTime(START + 90 * HOUR_MS);
      await fixture.emit(received());
      expect(must(await webhook(fixture, (it) => it.get())).status, repair).toBe("active");
      await failFor(fixture, 72);
      await fixture.emit(received());
      expect(must(await webhook(fixture, (it) => it.get())).status, repair).toBe("disabled");
    }
  });

  it("counts no delivery that was given up more than 72 hours ago", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    fixture.outside.answer = respond500;
    await fixture.emit(received());
    await fixture.runUntil(START + 101 * HOUR_MS);
    await fixture.evict();
    await fixture.emit(received());
    expect(must(await webhook(fixture, (it) => it.get())).status).toBe("active");
  });

  it("retries the email until it is sent", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    fixture.outside.mailWorks = false;
    await failFor(fixture, 72);
    await fixture.emit(received());
    await fixture.runUntil(START + 72 * HOUR_MS + 30 * SECOND);
    expect(fixture.outside.mails).toEqual([]);
    await fixture.evict();
    fixture.outside.mailWorks = true;
    await fixture.runUntil(START + 80 * HOUR_MS);
    expect(fixture.outside.mails).toHaveLength(1);
  });

  it("ends by reactivation after an accepted test event; what was skipped can be resent", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    fixture.outside.answer = respond204;
    must(await webhook(fixture, (it) => it.deliveries.test(CONNECTION_WEBHOOK)));
    await failFor(fixture, 72);
    await fixture.emit(received());
    await fixture.runUntil(START + 73 * HOUR_MS);
    const before = fixture.outside.arrivals.length;
    const { items } = must(await webhook(fixture, (it) => it.deliveries.page(CONNECTION_WEBHOOK, all(100))));
    expect(await webhook(fixture, (it) => it.deliveries.resend(CONNECTION_WEBHOOK, items[0]?.id ?? ""))).toEqual({
      ok: false,
      failure: { code: "test_first" },
    });
    expect(await webhook(fixture, (it) => it.reactivate())).toEqual({ ok: false, failure: { code: "test_first" } });
    must(await webhook(fixture, (it) => it.deliveries.test(CONNECTION_WEBHOOK)));
    expect(await webhook(fixture, (it) => it.reactivate())).toEqual({ ok: false, failure: { code: "test_first" } });
    fixture.outside.answer = respond204;
    vi.setSystemTime(Date.now() + SECOND);
    must(await webhook(fixture, (it) => it.deliveries.test(CONNECTION_WEBHOOK)));
    must(await webhook(fixture, (it) => it.put("https://hooks.example.com/other", null)));
    expect(await webhook(fixture, (it) => it.reactivate())).toEqual({ ok: false, failure: { code: "test_first" } });
    must(await webhook(fixture, (it) => it.put(HOOK, null)));
    expect(must(await webhook(fixture, (it) => it.get())).can_reactivate).toBe(false);
    must(await webhook(fixture, (it) => it.deliveries.test(CONNECTION_WEBHOOK)));
    expect(must(await webhook(fixture, (it) => it.get())).can_reactivate).toBe(true);
    expect(must(await webhook(fixture, (it) => it.reactivate()))).toMatchObject({ status: "active", disabled_at: null });
    await fixture.settle();
    expect(fixture.outside.arrivals).toHaveLength(before + 3);
    await fixture.emit(received());
    expect(fixture.outside.arrivals).toHaveLength(before + 4);
    const { count } = must(await webhook(fixture, (it) => it.deliveries.resendFailed(CONNECTION_WEBHOOK, START, null)));
    expect(count).toBe(7);
    await fixture.runUntil(Date.now() + SECOND);
    expect(fixture.outside.arrivals).toHaveLength(before + 4 + 7);
    fixture.outside.answer = respond500;
    await fixture.emit(received());
    expect(must(await webhook(fixture, (it) => it.get())).status).toBe("active");
  });

  it("stores events meanwhile, to be resent", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    await failFor(fixture, 72);
    await fixture.emit(received());
    await fixture.runUntil(START + 74 * HOUR_MS);
    await fixture.emit(received("meanwhile"));
    const { items } = must(await webhook(fixture, (it) => it.deliveries.page(CONNECTION_WEBHOOK, all(1))));
    expect(items[0]).toMatchObject({ status: "skipped", attempts: 0, last_error: "webhook_disabled" });
    expect(must(await webhook(fixture, (it) => it.deliveries.find(CONNECTION_WEBHOOK, items[0]?.id ?? ""))).request_body).toContain(
      "meanwhile",
    );
  });
});
