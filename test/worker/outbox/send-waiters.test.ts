// Callers waiting for the outcome of a send, and their shared timer.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SendWaiters } from "#root/durable-objects/connection/outbox/send-waiters.ts";
import { DAY_MS, MINUTE_MS } from "@gateway/protocol/units.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("waiting callers", () => {
  it("expire at their own deadlines", async () => {
    const expired: [string, number][] = [];
    const start = Date.now();
    const waiting: SendWaiters = new SendWaiters((id) => {
      expired.push([id, Date.now() - start]);
      waiting.resolve(id, { ok: false, failure: { code: "unavailable" } });
    });
    const media = waiting.add("media", null, start + MINUTE_MS, start);
    const text = waiting.add("text", null, start + 10_000, start);
    vi.advanceTimersByTime(2 * MINUTE_MS);
    expect(expired).toEqual([
      ["text", 10_000],
      ["media", MINUTE_MS],
    ]);
    expect(await Promise.all([text, media])).toMatchObject([{ ok: false }, { ok: false }]);
  });

  it("expire in time when the clock is set back while they wait", () => {
    vi.setSystemTime(Date.now() + DAY_MS);
    const expired: string[] = [];
    const waiting: SendWaiters = new SendWaiters((id) => {
      expired.push(id);
      waiting.resolve(id, { ok: false, failure: { code: "unavailable" } });
    });
    void waiting.add("before", null, Date.now() + 30_000, Date.now());
    vi.setSystemTime(Date.now() - DAY_MS);
    void waiting.add("after", null, Date.now() + 60_000, Date.now());
    vi.advanceTimersByTime(29_000);
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(13_000);
    expect(expired).toEqual(["before"]);
    vi.advanceTimersByTime(17_000);
    expect(expired).toEqual(["before"]);
    vi.advanceTimersByTime(13_000);
    expect(expired).toEqual(["before", "after"]);
  });

  it("expire in time when the clock is set back, also if nobody else comes", () => {
    vi.setSystemTime(Date.now() + DAY_MS);
    const expired: string[] = [];
    const waiting = new SendWaiters((id) => expired.push(id));
    void waiting.add("alone", null, Date.now() + 30_000, Date.now());
    vi.setSystemTime(Date.now() - DAY_MS);
    vi.advanceTimersByTime(41_000);
    expect(expired).toEqual(["alone"]);
  });

  it("expire even if the expiry of another caller throws, and that one is retried", () => {
    const expired: string[] = [];
    let fails = true;
    const waiting: SendWaiters = new SendWaiters((id) => {
      if (id === "broken" && fails) throw new Error("broken");
      expired.push(id);
      waiting.resolve(id, { ok: false, failure: { code: "unavailable" } });
    });
    const start = Date.now();
    for (const id of ["broken", "same"]) void waiting.add(id, null, start + 5_000, start);
    void waiting.add("later", null, start + MINUTE_MS, start);
    expect(() => vi.advanceTimersByTime(5_000)).toThrow("broken");
    expect(expired).toEqual(["same"]);
    fails = false;
    vi.advanceTimersByTime(MINUTE_MS);
    expect(expired).toEqual(["same", "broken", "later"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("leave no timer that would keep the object from hibernating", () => {
    const waiting = new SendWaiters(() => undefined);
    void waiting.add("media", null, Date.now() + MINUTE_MS, Date.now());
    waiting.resolve("media", { ok: false, failure: { code: "unavailable" } });
    expect(vi.getTimerCount()).toBe(0);
  });
});
