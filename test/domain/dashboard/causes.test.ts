// Causes of failures on the statistics page.
import { expect, it } from "vitest";
import { causesOf, countsOf } from "#root/dashboard/src/domain/causes.ts";

const periods = [
  { errors_by_code: { webhook_timeout: 4, internal_error: 1 } },
  { errors_by_code: {} },
  { errors_by_code: { send_outcome_unknown: 2, internal_error: 1, expired: 1 } },
];

it("a chart names the most frequent causes, and counts the rest together", () => {
  expect(causesOf(periods, 4)).toEqual(["webhook_timeout", "internal_error", "send_outcome_unknown", "expired"]);
  const few = causesOf(periods, 3);
  expect(few).toEqual(["webhook_timeout", "internal_error", "other"]);
  expect(periods.map((period) => countsOf(period, few))).toEqual([
    { webhook_timeout: 4, internal_error: 1, other: 0 },
    { webhook_timeout: 0, internal_error: 0, other: 0 },
    { webhook_timeout: 0, internal_error: 1, other: 3 },
  ]);
  expect(causesOf([], 3)).toEqual([]);
});
