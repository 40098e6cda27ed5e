// Callers that wait for the outcome of a send, and the one timer that they share.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SendWaiters } from "../../../durable-objects/connection/outbox/send-waiters.ts";
import { MINUTE_MS } from "../../../src/protocol/units.ts";

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

  it("leave no timer that would keep the object from hibernating", () => {
    const waiting = new SendWaiters(() => undefined);
    void waiting.add("media", null, Date.now() + MINUTE_MS, Date.now());
    waiting.resolve("media", { ok: false, failure: { code: "unavailable" } });
    expect(vi.getTimerCount()).toBe(0);
  });
});
