import { describe, expect, it } from "vitest";
import { countFailure, expiresAt, type GuardState, guardName } from "@gateway/domain/admission/address-guard.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";

function fail(times: readonly number[], state: GuardState = { failures: [], blockedUntil: 0 }) {
  return times.map((now) => {
    const next = countFailure(state, now);
    state = next.state;
    return next.verdict.blocked;
  });
}

describe("the address guard", () => {
  it("answers 20 failures with 401 and blocks from the 21st on", () => {
    expect(
      fail(Array.from({ length: 22 }, (_, n) => n * 1_000))
        .map(Number)
        .join(""),
    ).toBe("0000000000000000000011");
  });

  it("does not block when the failures are spread over more than ten minutes", () => {
    expect(fail(Array.from({ length: 60 }, (_, n) => n * 32_000))).not.toContain(true);
  });

  it("ends the block after 15 minutes, regardless of attempts meanwhile", () => {
    const start = Array.from({ length: 20 }, () => 0);
    const tries = [1, 5 * MINUTE_MS, 15 * MINUTE_MS - 1, 15 * MINUTE_MS];
    expect(fail([...start, ...tries]).slice(20)).toEqual([true, true, true, false]);
  });

  it("returns the remaining time of the block", () => {
    let state: GuardState = { failures: [], blockedUntil: 0 };
    for (let n = 0; n < 20; n += 1) state = countFailure(state, 0).state;
    expect(countFailure(state, 10 * MINUTE_MS).verdict).toEqual({ blocked: true, retryAfterMs: 5 * MINUTE_MS });
    expect(expiresAt(state)).toBe(15 * MINUTE_MS);
  });

  it("forgets what was recorded before the clock was set back", () => {
    const later = 20 * MINUTE_MS;
    expect(fail([...Array.from({ length: 19 }, () => later), 0, 1])).not.toContain(true);
    expect(fail([...Array.from({ length: 21 }, () => later), 0]).slice(20)).toEqual([true, false]);
  });

  it("counts a /64 of IPv6 as one address and hashes addresses", () => {
    const name = (address: string) => guardName(new TextEncoder().encode("secret"), address);
    expect(name("2001:db8:0:1::5")).toBe(name("2001:0db8:0000:0001:ffff:1:2:3"));
    expect(name("2001:db8:0:1::5")).not.toBe(name("2001:db8:0:2::5"));
    expect(name("::ffff:203.0.113.9")).toBe(name("203.0.113.9"));
    expect(name("203.0.113.9")).not.toContain("203");
  });
});
