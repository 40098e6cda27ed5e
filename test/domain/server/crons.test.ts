import { expect, it, vi } from "vitest";
import { cronMatches, startCrons } from "#root/server/runtime/crons.ts";

it.each([
  ["* * * * *", "2026-11-28T12:07:00Z", true],
  ["1-59/2 * * * *", "2026-11-28T12:07:00Z", true],
  ["1-59/2 * * * *", "2026-11-28T12:08:00Z", false],
  ["*/3 * * * *", "2026-11-28T12:09:00Z", true],
  ["*/3 * * * *", "2026-11-28T12:10:00Z", false],
  ["5 4 * * *", "2026-11-28T04:05:00Z", true],
  ["5 4 * * *", "2026-11-28T05:05:00Z", false],
  ["0 0 1,15 * 0", "2026-11-15T00:00:00Z", true],
  ["0 0 1,15 * 0", "2026-11-16T00:00:00Z", false],
  ["* * * *", "2026-11-28T12:07:00Z", false],
])("the expression %s at %s: %s", (expression, at, matches) => {
  expect(cronMatches(expression, new Date(at))).toBe(matches);
});

it("a cron expression with names is refused", () => {
  expect(() => cronMatches("* * * JAN *", new Date(0))).toThrow("JAN");
});

it("each expression runs at the start and then in each minute that it matches", () => {
  vi.useFakeTimers({ now: Date.parse("2026-11-28T12:07:30Z") });
  const ran: string[] = [];
  const dispatchFetch = async (url: string) => {
    const query = new URL(url).searchParams;
    ran.push(`${query.get("cron")} at ${new Date(Number(query.get("time"))).toISOString()}`);
    return new Response();
  };
  const stop = startCrons({ dispatchFetch } as unknown as Parameters<typeof startCrons>[0], "gateway", ["*/3 * * * *", "5 4 * * *"]);
  expect(ran.splice(0)).toEqual(["*/3 * * * * at 2026-11-28T12:07:00.000Z", "5 4 * * * at 2026-11-28T12:07:00.000Z"]);
  vi.advanceTimersByTime(100_000);
  expect(ran).toEqual(["*/3 * * * * at 2026-11-28T12:09:00.000Z"]);
  stop();
  vi.useRealTimers();
});
