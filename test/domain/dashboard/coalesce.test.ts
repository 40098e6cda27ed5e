// Requests that arrive faster than they can be served.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { coalesced } from "#root/dashboard/src/domain/coalesce.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const PAUSE_MS = 3_000;

/** An action that takes a second. */
function slow() {
  let begun = 0;
  let ended = 0;
  const act = async () => {
    begun += 1;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    ended += 1;
  };
  return { act, counts: () => [begun, ended] };
}

it("a run finishes however often it is requested, and runs once more afterwards", async () => {
  const { act, counts } = slow();
  const action = coalesced(act, 0);
  for (let n = 0; n < 20; n += 1) {
    action.request();
    await vi.advanceTimersByTimeAsync(100);
  }
  // After two seconds: runs follow one another and never overlap.
  expect(counts()).toEqual([2, 1]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(counts()).toEqual([3, 3]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(counts(), "no run starts without a request").toEqual([3, 3]);
});

it("a run waits as long as told, continues after a failure, and stops for good", async () => {
  let tries = 0;
  const action = coalesced(() => {
    tries += 1;
    return Promise.reject(new Error("no network"));
  }, PAUSE_MS);
  action.request();
  action.request();
  await vi.advanceTimersByTimeAsync(PAUSE_MS - 100);
  expect(tries).toBe(0);
  await vi.advanceTimersByTimeAsync(200);
  expect(tries).toBe(1);
  action.request();
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  expect(tries).toBe(2);
  action.request();
  action.stop();
  action.request();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(tries).toBe(2);
});
