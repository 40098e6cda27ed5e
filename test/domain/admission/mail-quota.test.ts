import { expect, it } from "vitest";
import { isQuotaError, quotaPause } from "@gateway/domain/admission/mail-quota.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";

it.each([
  ["E_DAILY_LIMIT_EXCEEDED", true],
  ["E_RATE_LIMIT_EXCEEDED, too many emails", true],
  ["E_SENDER_NOT_VERIFIED", false],
  ["MY_E_DAILY_LIMIT_EXCEEDED", false],
])("%s counts as a used-up quota: %s", (refusal, is) => {
  expect(isQuotaError(refusal)).toBe(is);
});

it("notice emails pause for an hour, and no longer after the clock was set back", () => {
  const at = 10 * HOUR_MS;
  expect(quotaPause(null, at)).toEqual({ blocked: false });
  expect(quotaPause(at, at)).toEqual({ blocked: true, retryAfterMs: HOUR_MS });
  expect(quotaPause(at, at + HOUR_MS - 1)).toEqual({ blocked: true, retryAfterMs: 1 });
  expect(quotaPause(at, at + HOUR_MS)).toEqual({ blocked: false });
  expect(quotaPause(at, at - 1)).toEqual({ blocked: false });
});
