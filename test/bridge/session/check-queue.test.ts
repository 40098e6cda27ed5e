// Proxy checks by a bridge with more of them waiting than it can handle (docs/operate/proxies.md, "Proxies").
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { CheckQueue } from "#root/session-bridge/check-queue.ts";
import type { ProxyCheck, ProxyCheckResult } from "@gateway/protocol/bridge-socket.ts";

const TIMED_OUT: ProxyCheckResult = { ok: false, error: "timeout" };
const CHECK_MS = 15_000;
const checkOf = (check: string, change: Partial<ProxyCheck> = {}): ProxyCheck => ({
  check,
  url: "http://127.0.0.1:1",
  reach: "network",
  exit_ticket: null,
  start_within_ms: 35_000,
  urgent: false,
  ...change,
});

let made: string[];
let queue: CheckQueue;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
  made = [];
  // Every proxy is down, so each check takes its maximum time.
  queue = new CheckQueue(async ({ check }) => {
    made.push(check);
    await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
    return TIMED_OUT;
  });
});
afterEach(() => {
  vi.useRealTimers();
});

it("the queue runs a round of checks a hundred at a time, and never starts one that has waited too long", async () => {
  const results = Array.from({ length: 1_000 }, (_, n) => queue.add(checkOf(String(n))));
  await vi.advanceTimersByTimeAsync(CHECK_MS - 1);
  expect(made).toHaveLength(100);
  await vi.advanceTimersByTimeAsync(4 * CHECK_MS);
  expect(made).toEqual(Array.from({ length: 300 }, (_, n) => String(n)));
  const answers = await Promise.all(results);
  expect(answers.filter((answer) => answer === null)).toHaveLength(700);
  // The next round starts immediately.
  void queue.add(checkOf("next"));
  await vi.advanceTimersByTimeAsync(0);
  expect(made.at(-1)).toBe("next");
});

it("the queue starts urgent checks at once, however many checks of a round wait", async () => {
  for (let n = 0; n < 300; n += 1) void queue.add(checkOf(String(n)));
  void queue.add(checkOf("asked by hand", { urgent: true }));
  await vi.advanceTimersByTimeAsync(0);
  expect(made).toHaveLength(101);
  expect(made.at(-1)).toBe("asked by hand");
});

it.each([
  [false, 100 + 5_000],
  [true, 20 + 200],
])("the queue holds no more than a fixed number of checks (urgent: %s)", async (urgent, taken) => {
  const dropped: boolean[] = [];
  const start_within_ms = 3_600_000;
  for (let n = 0; n < taken + 50; n += 1) {
    const check = queue.add(checkOf(String(n), { urgent, start_within_ms }));
    void check.then((result) => dropped.push(result === null));
    // Checks that start immediately no longer wait.
    if (n < 200) await vi.advanceTimersByTimeAsync(0);
  }
  await vi.advanceTimersByTimeAsync(0);
  expect(dropped).toEqual(Array.from({ length: 50 }, () => true));
});
