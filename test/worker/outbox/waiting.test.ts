// Who waits for the end of a send, and the one timer that they share.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Waiting } from "../../../durable-objects/connection/outbox/waiting.ts";
import { MINUTE_MS } from "../../../src/protocol/units.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("callers that wait", () => {
  it("are told when the time of each is over", async () => {
    const expired: [string, number][] = [];
    const start = Date.now();
    const waiting: Waiting = new Waiting((id) => {
      expired.push([id, Date.now() - start]);
      waiting.answer(id, { ok: false, failure: { code: "unavailable" } });
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

  it("leave no timer behind that would keep the object from its sleep", () => {
    const waiting = new Waiting(() => undefined);
    void waiting.add("media", null, Date.now() + MINUTE_MS, Date.now());
    waiting.answer("media", { ok: false, failure: { code: "unavailable" } });
    vi.advanceTimersByTime(10_000);
    expect(vi.getTimerCount()).toBe(0);
  });
});
