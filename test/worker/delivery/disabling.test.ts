// A webhook that nothing is accepted at: disabled after 72 hours, with one mail, and reactivated after a test.
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  accept,
  type Connection,
  connection,
  freezeTime,
  HOOK,
  must,
  received,
  refuse,
  SECOND,
  START,
  webhook,
  withWebhook,
} from "./world.ts";
import { HOUR_MS } from "../../../src/protocol/units.ts";

beforeEach(() => freezeTime());

describe("disabling", () => {
  /** One event every 12 hours at a receiver that refuses all of them. */
  async function failFor(world: Connection, hours: number): Promise<void> {
    world.outside.answer = refuse;
    const from = Date.now();
    for (let hour = 0; hour < hours; hour += 12) {
      await world.happen(received());
      await world.runUntil(from + Math.min(hour + 12, hours) * HOUR_MS - 1);
    }
    vi.setSystemTime(from + hours * HOUR_MS);
  }

  it("happens at the first failure 72 hours after the first one, with one mail, and nothing is tried any more", async () => {
    const world = connection();
    await withWebhook(world);
    await failFor(world, 72);
    expect(must(await webhook(world, (it) => it.get())).status).toBe("active");
    await world.happen(received());
    expect(must(await webhook(world, (it) => it.get()))).toMatchObject({ status: "disabled", disabled_at: START + 72 * HOUR_MS });
    await world.runUntil(START + 100 * HOUR_MS);
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
    await world.runUntil(START + 90 * HOUR_MS);
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
    await world.runUntil(START + 72 * HOUR_MS + 30 * SECOND);
    expect(world.outside.mails).toEqual([]);
    await world.evict();
    world.outside.mailWorks = true;
    await world.runUntil(START + 80 * HOUR_MS);
    expect(world.outside.mails).toHaveLength(1);
  });

  it("ends by reactivating, after a test event was accepted since then; what was skipped can be sent again", async () => {
    const world = connection();
    await withWebhook(world);
    world.outside.answer = accept;
    must(await webhook(world, (it) => it.test()));
    await failFor(world, 72);
    await world.happen(received());
    await world.runUntil(START + 73 * HOUR_MS);
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
    await world.runUntil(START + 74 * HOUR_MS);
    await world.happen(received("meanwhile"));
    const { items } = must(await webhook(world, (it) => it.deliveries(1)));
    expect(items[0]).toMatchObject({ status: "skipped", attempts: 0, last_error: "webhook_disabled" });
    expect(must(await webhook(world, (it) => it.delivery(items[0]?.id ?? ""))).request_body).toContain("meanwhile");
  });
});
