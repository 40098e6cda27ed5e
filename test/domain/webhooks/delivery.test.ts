import { describe, expect, it } from "vitest";
import {
  type ReceiverHealth,
  afterAttempt,
  DISABLE_AFTER_MS,
  healthAfter,
  shouldDisable,
  jitterMs,
  pauseAfter,
  attemptResultOf,
  type AttemptResult,
  concurrencyFor,
} from "@gateway/domain/webhooks/delivery.ts";
import { STYLES } from "@gateway/domain/webhooks/style/styles.ts";

const HEALTHY: ReceiverHealth = { firstFailedAt: null, lastFailedAt: null, lastSuccessAt: null, unreachable: 0, recovering: 0 };

const refused: AttemptResult = { ok: false, httpStatus: 500, error: "not_2xx" };
const silent: AttemptResult = { ok: false, httpStatus: null, error: "timeout" };

describe("an answer", () => {
  it.each([200, 201, 202, 204, 299])("counts as accepted with %i", (status) =>
    expect(attemptResultOf(status)).toEqual({ ok: true, httpStatus: status }),
  );
  it.each([300, 301, 302, 307, 308])("counts as a redirect, and so as refused, with %i", (status) =>
    expect(attemptResultOf(status)).toMatchObject({ ok: false, error: "redirect" }),
  );
  it.each([100, 101, 400, 404, 410, 429, 500, 503])("counts as refused with %i", (status) =>
    expect(attemptResultOf(status)).toMatchObject({ ok: false, error: "not_2xx" }),
  );
});

describe.each(["account", "connection"] as const)("the retries of the %s API", (name) => {
  const { delaysS } = STYLES[name];

  it("come after each documented delay from the end of the attempt", () => {
    const endedAt = 1_900_000_000_000;
    delaysS.forEach((delayS, failures) => {
      const next = afterAttempt("msg_1", failures, refused, { delaysS, retries: delaysS.length }, endedAt);
      expect(next).toEqual({ state: "waiting", dueAt: endedAt + delayS * 1_000 + jitterMs("msg_1", failures + 1, delayS) });
    });
  });

  it("stop when they are used up", () => {
    expect(afterAttempt("msg_1", delaysS.length, refused, { delaysS, retries: delaysS.length }, 0)).toEqual({ state: "failed" });
  });

  it("stop at a success, whenever it comes", () => {
    for (let failures = 0; failures <= delaysS.length; failures += 1) {
      expect(afterAttempt("msg_1", failures, { ok: true, httpStatus: 204 }, { delaysS, retries: 0 }, 0)).toEqual({ state: "delivered" });
    }
  });

  it.each([0, 1, 2, 3])("are exactly the %i configured", (retries) => {
    const states = Array.from(
      { length: retries + 1 },
      (_, failures) => afterAttempt("msg_1", failures, refused, { delaysS, retries }, 0).state,
    );
    expect(states).toEqual([...Array.from({ length: retries }, () => "waiting"), "failed"]);
  });
});

it("both APIs have the documented delays", () => {
  expect(STYLES.account.delaysS).toEqual([10, 60, 300, 1_800, 7_200]);
  expect(STYLES.connection.delaysS).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 36_000]);
});

describe("jitter", () => {
  const ids = Array.from({ length: 500 }, (_, index) => `msg_${index}`);

  it("is zero up to five seconds", () => expect(ids.map((id) => jitterMs(id, 1, 5)).every((ms) => ms === 0)).toBe(true));

  it("is never negative, at most 2 % and at most a minute, and spread over all of it", () => {
    for (const delayS of [10, 60, 300, 1_800, 7_200, 18_000, 36_000]) {
      const most = Math.min(delayS * 20, 60_000);
      const all = ids.map((id) => jitterMs(id, 2, delayS));
      expect(Math.min(...all)).toBeGreaterThanOrEqual(0);
      expect(Math.min(...all)).toBeLessThan(most * 0.05);
      expect(Math.max(...all)).toBeLessThan(most);
      expect(Math.max(...all)).toBeGreaterThan(most * 0.95);
    }
  });

  it("is the same for the same retry", () => expect(jitterMs("msg_x", 3, 1_800)).toBe(jitterMs("msg_x", 3, 1_800)));
});

describe("a failing receiver", () => {
  const from = 1_900_000_000_000;
  const failing = healthAfter(HEALTHY, refused, from);

  it("is disabled 72 hours after its first failure, not earlier", () => {
    const later = healthAfter(failing, refused, from + DISABLE_AFTER_MS);
    expect(shouldDisable(later, DISABLE_AFTER_MS, from + DISABLE_AFTER_MS - 1)).toBe(false);
    expect(shouldDisable(later, DISABLE_AFTER_MS, from + DISABLE_AFTER_MS)).toBe(true);
  });

  it("is reset by every accepted delivery", () => {
    const better = healthAfter(failing, { ok: true, httpStatus: 200 }, from + 1);
    expect(better).toEqual({ firstFailedAt: null, lastFailedAt: null, lastSuccessAt: from + 1, unreachable: 0, recovering: 0 });
    expect(shouldDisable(healthAfter(better, refused, from + DISABLE_AFTER_MS), DISABLE_AFTER_MS, from + DISABLE_AFTER_MS)).toBe(false);
  });

  it("starts anew when its last failure is more than 72 hours old", () => {
    const at = from + DISABLE_AFTER_MS + 1;
    expect(shouldDisable(healthAfter(failing, refused, at), DISABLE_AFTER_MS, at)).toBe(false);
    expect(healthAfter(failing, refused, at).firstFailedAt).toBe(at);
  });

  it("is never disabled by an API without such a rule", () => expect(shouldDisable(failing, null, from * 2)).toBe(false));
});

describe("the attempts that a receiver gets at once", () => {
  const busy: AttemptResult = { ok: false, httpStatus: 503, error: "not_2xx" };
  const accepted: AttemptResult = { ok: true, httpStatus: 200 };
  const after = (results: readonly AttemptResult[]) => results.reduce((health, result) => healthAfter(health, result, 1), HEALTHY);
  const times = (count: number, result: AttemptResult) => Array.from({ length: count }, () => result);
  const slots = (...results: readonly AttemptResult[]) => concurrencyFor(after(results));

  it.each([
    ["does not answer", silent],
    ["says that it is down", busy],
  ])("are fewer when it %s, in the end a single probe", (_what, result) => {
    expect([0, 4, 5, 19, 20, 500].map((count) => slots(...times(count, result)))).toEqual([4, 4, 2, 2, 1, 1]);
  });

  it("are all of them while it answers, whatever it answers", () => expect(slots(...times(100, refused))).toBe(4));

  it("grow by one with every five answers after an outage", () => {
    const answers = [1, 4, 5, 9, 10, 14, 15, 100];
    expect(answers.map((count) => slots(...times(20, silent), ...times(count, accepted)))).toEqual([1, 1, 2, 2, 3, 3, 4, 4]);
    expect(slots(...times(20, busy), ...times(15, refused))).toBe(4);
    expect(slots(...times(5, silent), ...times(5, accepted))).toBe(3);
  });

  it("do not grow by an attempt that fails meanwhile", () => {
    expect(slots(...times(20, silent), ...times(4, accepted), silent, accepted)).toBe(2);
    expect(slots(...times(20, silent), ...times(4, accepted), silent)).toBe(1);
  });

  it("wait for a second after each of the first answers", () => {
    const outage = times(20, silent);
    expect(pauseAfter(after(outage), silent)).toBe(0);
    expect([0, 4].map((count) => pauseAfter(after([...outage, ...times(count, accepted)]), accepted))).toEqual([1_000, 1_000]);
    expect(pauseAfter(after([...outage, ...times(5, accepted)]), accepted)).toBe(0);
    expect(pauseAfter(HEALTHY, accepted)).toBe(0);
  });
});
