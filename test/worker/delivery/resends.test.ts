// Resends: one attempt under the same id; if it fails, the delivery keeps its previous state.
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  respond204,
  connection,
  endpoint,
  freezeTime,
  idOf,
  list,
  must,
  received,
  respond500,
  resend,
  SECOND,
  neverRespond,
  START,
  withWebhook,
} from "./delivery-connection.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";

beforeEach(() => freezeTime());

describe("resending", () => {
  it("sends a failed delivery again at once and once, under the same id", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    fixture.outside.answer = respond500;
    await fixture.emit(received());
    await fixture.runUntil(START + 40 * HOUR_MS);
    expect(fixture.outside.arrivals).toHaveLength(8);
    must(await resend(fixture, idOf(fixture.outside.arrivals[0]?.body ?? "")));
    await fixture.settle();
    expect(fixture.outside.arrivals).toHaveLength(9);
    expect(await list(fixture)).toMatchObject([{ status: "failed", attempts: 9, next_attempt_at: null, last_error: "not_2xx" }]);
    await fixture.runUntil(START + 80 * HOUR_MS);
    expect(new Set(fixture.outside.arrivals.map(({ body }) => body)).size).toBe(1);
    expect(fixture.outside.arrivals).toHaveLength(9);
    fixture.outside.answer = respond204;
    must(await resend(fixture, idOf(fixture.outside.arrivals[0]?.body ?? "")));
    await fixture.settle();
    expect(await list(fixture)).toMatchObject([{ status: "delivered", attempts: 10, last_error: null }]);
  });

  it("leaves a delivery delivered when another attempt fails, also after a crash in the middle of it", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    await fixture.emit(received());
    const [delivered] = await list(fixture);
    expect(delivered).toMatchObject({ status: "delivered" });
    const id = delivered?.id ?? "";
    vi.setSystemTime(START + HOUR_MS);
    fixture.outside.answer = neverRespond;
    must(await resend(fixture, id));
    await fixture.settle();
    await fixture.crash();
    fixture.outside.answer = respond500;
    await fixture.runUntil(START + 40 * HOUR_MS);
    expect(fixture.outside.arrivals).toHaveLength(3);
    expect(await list(fixture)).toEqual([{ ...delivered, attempts: 3 }]);
  });

  it("leaves the schedule of a waiting retry unchanged", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    fixture.outside.answer = respond500;
    await fixture.emit(received());
    await fixture.runUntil(START + 10 * SECOND);
    const [before] = await list(fixture);
    must(await resend(fixture, before?.id ?? ""));
    must(await resend(fixture, before?.id ?? ""));
    await fixture.settle();
    expect(fixture.outside.arrivals).toHaveLength(4);
    expect(await list(fixture)).toEqual([{ ...before, attempts: 4 }]);
    await fixture.runUntil(START + 40 * HOUR_MS);
    expect(fixture.outside.arrivals).toHaveLength(10);
    expect(await list(fixture)).toMatchObject([{ status: "failed", attempts: 10 }]);
  });

  it("ends a waiting retry by success", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    fixture.outside.answer = respond500;
    await fixture.emit(received());
    await fixture.runUntil(START + 10 * SECOND);
    fixture.outside.answer = respond204;
    must(await resend(fixture, idOf(fixture.outside.arrivals[0]?.body ?? "")));
    await fixture.settle();
    await fixture.runUntil(START + 40 * HOUR_MS);
    expect(fixture.outside.arrivals).toHaveLength(3);
  });

  it("starts no second attempt of a delivery in flight", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    fixture.outside.answer = neverRespond;
    await fixture.emit(received());
    must(await resend(fixture, idOf(fixture.outside.arrivals[0]?.body ?? "")));
    await fixture.settle();
    expect(fixture.outside.arrivals).toHaveLength(1);
    await fixture.crash();
  });

  it("sends everything that failed since a given time once, and nothing else", async () => {
    const fixture = connection();
    const hook = endpoint({ retry_count: 0 });
    await fixture.in(({ deliveries }) => deliveries.account.replace([hook]));
    fixture.outside.answer = respond500;
    await fixture.emit(received("too old"));
    vi.setSystemTime(START + HOUR_MS);
    await fixture.in((object) => object.accept(Array.from({ length: 1_200 }, () => received("failed"))));
    await fixture.runUntil(START + HOUR_MS + 1);
    fixture.outside.answer = respond204;
    await fixture.emit(received("accepted"));
    fixture.outside.arrivals.length = 0;
    fixture.outside.answer = respond500;
    const resent = await fixture.in(({ deliveries }) => deliveries.account.deliveries.resendFailed(hook.id, START + HOUR_MS, null));
    expect(resent).toEqual({ ok: true, value: { count: 1_200 } });
    await fixture.runUntil(START + 2 * HOUR_MS);
    expect(fixture.outside.arrivals).toHaveLength(1_200);
    expect(fixture.outside.arrivals.every(({ body }) => body.includes('"failed"'))).toBe(true);
    expect(new Set(fixture.outside.arrivals.map(({ body }) => idOf(body))).size).toBe(1_200);
  });
});
