import { describe, expect, it } from "vitest";
import { FAILURE_RESPONSES } from "@gateway/domain/failures/responses.ts";
import { failureOf, type GraphUse, throttlesNumber, statusFailure } from "@gateway/domain/cloud/failures.ts";
import type { GraphError } from "@gateway/domain/cloud/graph-values.ts";

const error = (code: number, subcode: number | null = null): GraphError => ({ code, subcode, type: null, traceId: null });

/** Codes, kind of Graph request, and the response: code, status, `Retry-After`. */
const TABLE: [codes: number[], use: GraphUse, code: string, status: number, retryAfter?: number][] = [
  [[0, 190, 3, 10, 200, 294, 299, 131005], "send", "network_error", 502],
  [[0, 190, 3, 10, 200, 131005], "number", "network_error", 502],
  [[3, 10, 200, 299, 131005], "change", "forbidden", 403],
  [[0, 190], "change", "network_error", 502],
  [[131030, 131037, 131042, 131044, 131045, 131050, 131055, 131063, 130497, 134011, 138000, 138006], "send", "forbidden", 403],
  [[33, 133000, 133006, 133010, 133015], "send", "instance_not_connected", 409],
  [[368, 131031, 130472, 131049], "send", "temporarily_blocked", 423],
  [[4, 17, 613, 80007, 130429, 131056, 131064, 133016], "send", "network_rate_limited", 429, 60],
  [[131048], "send", "network_rate_limited", 429, 3600],
  [[131057, 133004], "send", "unavailable", 503, 60],
  [[1, 2, 131000, 131016], "change", "network_error", 502],
  [[131021, 131026], "send", "number_not_on_network", 422],
  [[131062], "send", "invalid_number", 400],
  [[131047], "send", "outside_service_window", 422],
  [[131047], "change", "outside_service_window", 422],
  [[132000, 132001, 132012, 132016, 132068, 132069, 131008, 131009, 100], "template", "template_invalid", 422],
  [[131052, 131053], "send", "media_invalid", 422],
  [[131051], "send", "not_supported", 501],
  [[100, 131008, 131009, 135000, 139000, 139103], "send", "limit_of_kind", 422],
  [[100, 131008, 131009, 135000, 139000], "change", "network_error", 502],
  [[100, 803], "group", "group_not_found", 404],
  [[100, 803], "media", "media_expired", 410],
  [[138003, 138004, 138007], "call", "call_ended", 409],
  [[131200, 131215], "group", "not_group_admin", 403],
  [[99, 131999, 424242], "send", "network_error", 502],
];
const ROWS = TABLE.flatMap(([codes, use, expected, status, retryAfter]) =>
  codes.map((code) => ({ code, use, expected, status, retryAfter })),
);

describe("an error of Graph", () => {
  it.each(ROWS)("$code on $use is $expected, $status", ({ code, use, expected, status, retryAfter }) => {
    const verdict = failureOf(error(code), use);
    expect(verdict).toMatchObject({ kind: "refused", failure: { code: expected, details: { network_code: code }, attempted: true } });
    const failure = verdict.kind === "refused" ? verdict.failure : null;
    expect(failure && FAILURE_RESPONSES[failure.code].status).toBe(status);
    expect(failure?.retryAfter).toBe(retryAfter);
  });

  it.each([1, 2, 131000, 131016])("leaves the outcome of a send unknown with code %i, and is certain as a status", (code) => {
    expect(failureOf(error(code), "send")).toEqual({ kind: "uncertain" });
    expect(failureOf(error(code), "template")).toEqual({ kind: "uncertain" });
    expect(statusFailure([error(code)])).toEqual({
      failure: { code: "network_error", details: { network_code: code }, attempted: true },
      doubted: false,
    });
  });

  it("is marked as unknown without a row in the table, as Graph itself may have failed", () => {
    expect(failureOf(error(987_654), "send")).toMatchObject({ kind: "refused", failure: { code: "network_error" }, known: false });
    expect(failureOf(error(131_047), "send")).toMatchObject({ kind: "refused", known: true });
  });

  it.each([
    ["a token that is no good", 190, "send", true],
    ["a right that is missing on a send", 10, "send", true],
    ["a right that is missing on something else", 10, "change", false],
    ["a number that is not registered", 133010, "send", true],
    ["a contact who is not there", 131026, "send", false],
  ] as const)("makes the credentials doubtful, or not, by %s: %i", (_, code, use, doubted) => {
    expect(failureOf(error(code), use)).toMatchObject({ doubted });
  });

  it("names the subject of a block or limit", () => {
    expect(failureOf(error(368), "send")).toMatchObject({ failure: { details: { scope: "account" } } });
    expect(failureOf(error(131049), "send")).toMatchObject({ failure: { details: { scope: "recipient" } } });
    expect(failureOf(error(131056), "send")).toMatchObject({ failure: { details: { scope: "recipient" } } });
    expect([130429, 131057, 131056, 131048].map((code) => throttlesNumber(error(code)))).toEqual([true, true, false, false]);
  });

  it("is read from the subcode where the code says little", () => {
    expect(failureOf(error(100, 33), "number")).toMatchObject({ failure: { code: "instance_not_connected" }, doubted: true });
    expect(failureOf(error(100, 33), "group")).toMatchObject({ failure: { code: "group_not_found" }, doubted: false });
    expect(failureOf(error(424242, 131047), "send")).toMatchObject({
      failure: { code: "outside_service_window", details: { network_code: 424242 } },
    });
    expect(failureOf(error(131047, 190), "send")).toMatchObject({ failure: { code: "outside_service_window" }, doubted: false });
  });

  it("is the first one of a failed status, which may have none", () => {
    expect(statusFailure([error(131026), error(190)]).failure).toMatchObject({ code: "number_not_on_network" });
    expect(statusFailure([]).failure).toEqual({ code: "network_error", attempted: true });
  });
});
