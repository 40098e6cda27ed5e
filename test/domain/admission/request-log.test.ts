import { expect, it } from "vitest";
import { type LoggedRequest, matches, ringOf, summaryOf } from "@gateway/domain/admission/request-log.ts";

const request = (change: Partial<LoggedRequest> = {}): LoggedRequest => ({
  place: 1,
  id: "r1",
  at: 1_000,
  method: "POST",
  route: "/api/v1/messages/text",
  status: 200,
  code: null,
  caller: { kind: "key", key_id: "k1", name: "Sistema" },
  ms: 3,
  replayed: false,
  ...change,
});

const all = { status: null, code: null, route: null, caller: null };

it("the request log keeps reads and rate-limited calls apart from all other requests", () => {
  expect(ringOf(request({ method: "GET" }))).toBe("reads");
  expect(ringOf(request({ method: "GET", status: 404 }))).toBe("others");
  expect(ringOf(request())).toBe("others");
  expect(ringOf(request({ method: "GET", status: 429 }))).toBe("limited");
});

it("the request log filters by status, code, route and caller", () => {
  const refused = request({ status: 424, code: "send_outcome_unknown" });
  for (const filter of [
    { status: { from: 400, to: 499 } },
    { status: { from: 424, to: 424 } },
    { code: "send_outcome_unknown" },
    { route: "/api/v1/messages/text" },
    { caller: "k1" },
    { caller: "key" },
    { caller: "programs" },
  ])
    expect([filter, matches(refused, { ...all, ...filter })]).toEqual([filter, true]);
  for (const filter of [{ status: { from: 200, to: 299 } }, { code: "rate_limited" }, { route: "/api/v1/chats" }, { caller: "dashboard" }])
    expect([filter, matches(refused, { ...all, ...filter })]).toEqual([filter, false]);
  const own = request({ caller: { kind: "dashboard", key_id: null, name: null } });
  expect(matches(own, { ...all, caller: "programs" })).toBe(false);
});

it("the request log groups refusals by route and reason, the most frequent first", () => {
  const requests = [
    request({ id: "d", at: 4, status: 429, code: "rate_limited" }),
    request({ id: "c", at: 3, status: 402, code: "subscription_required" }),
    request({ id: "b", at: 2, status: 429, code: "rate_limited" }),
    request({ id: "a", at: 1, caller: { kind: "account_key", key_id: null, name: "ERP" } }),
  ];
  const { method, route } = request();
  expect(summaryOf(requests)).toEqual({
    total: 4,
    refusals: [
      { method, route, status: 429, code: "rate_limited", count: 2, last_at: 4, last: "d" },
      { method, route, status: 402, code: "subscription_required", count: 1, last_at: 3, last: "c" },
    ],
    routes: [route],
    callers: [
      { kind: "key", key_id: "k1", name: "Sistema" },
      { kind: "account_key", key_id: null, name: null },
    ],
  });
});
