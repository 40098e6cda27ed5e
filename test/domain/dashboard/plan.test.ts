import { expect, it } from "vitest";
import { planState } from "#root/dashboard/src/domain/plan.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const until = (end: string | null, status: "active" | "trialing" | "past_due" | "canceled" = "active") =>
  planState({ status, current_period_end: end }, NOW);

it("the plan is none, running, ending, past due or stopped by its subscription", () => {
  expect(planState(null, NOW)).toEqual({ kind: "none" });
  expect(until(null)).toEqual({ kind: "running" });
  expect(until("2026-04-10T12:00:00Z")).toEqual({ kind: "ending", days: 31, soon: false });
  expect(until("2026-03-18T11:59:59Z", "trialing")).toEqual({ kind: "ending", days: 7, soon: true });
  expect(until("2026-03-18T12:00:00Z")).toEqual({ kind: "ending", days: 8, soon: false });
  expect(until("2026-03-11T11:59:59Z")).toEqual({ kind: "ending", days: 0, soon: true });
  expect(until("2026-03-01T00:00:00Z")).toEqual({ kind: "ending", days: 0, soon: true });
  expect(until("2026-04-10T12:00:00Z", "past_due")).toEqual({ kind: "past_due" });
  expect(until(null, "canceled")).toEqual({ kind: "stopped" });
});
