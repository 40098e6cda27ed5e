import { describe, expect, it } from "vitest";
import { type ParticipantChange, participantResult, commonRefusal } from "@gateway/domain/chats/participant-results.ts";

const person = { phone: "5511900000001", lid: null };
const results = (change: ParticipantChange, ...codes: (number | null)[]) =>
  codes.map((code) => participantResult(change, { person, code }));

describe("the result for one participant", () => {
  it.each([
    ["add", 200, null],
    ["add", 202, "not_admin"],
    ["add", 401, "privacy"],
    ["add", 403, "privacy"],
    ["add", 404, "not_on_network"],
    ["add", 408, "recently_left"],
    ["add", 409, "already_member"],
    ["add", 419, "full"],
    ["add", 500, "unknown"],
    ["add", null, "unknown"],
    ["remove", 403, "not_admin"],
    ["remove", 404, "not_member"],
    ["promote", 404, "not_member"],
    ["demote", 403, "not_admin"],
    ["approve", 404, "unknown"],
    ["reject", 200, null],
  ] as const)("%s: %s is %s", (change, code, reason) => {
    expect(participantResult(change, { person, code })).toEqual({ person, code, reason, status: code === 200 ? "ok" : "failed" });
  });
});

describe("a change of several participants", () => {
  it("is a success when at least one succeeded", () => {
    expect(commonRefusal("add", results("add", 403, 200, 404))).toBeNull();
  });

  it("is a refusal when nobody succeeded, and says why for each", () => {
    expect(commonRefusal("add", results("add", 403, 404))).toEqual({
      code: "forbidden",
      issues: [
        { field: "participants.0", issue: "privacy" },
        { field: "participants.1", issue: "not_on_network" },
      ],
    });
    expect(commonRefusal("promote", results("promote", 403))).toMatchObject({ code: "not_group_admin" });
    expect(commonRefusal("promote", results("promote", 404))).toMatchObject({ code: "contact_not_found" });
    expect(commonRefusal("add", results("add", 404))).toMatchObject({ code: "number_not_on_network" });
    expect(commonRefusal("add", results("add", 419))).toMatchObject({ code: "limit_of_kind" });
    expect(commonRefusal("add", results("add", null))).toMatchObject({ code: "network_error" });
  });

  it("is no failure if nothing had to change", () => {
    expect(commonRefusal("add", results("add", 409, 409))).toBeNull();
    expect(commonRefusal("remove", results("remove", 404))).toBeNull();
    expect(commonRefusal("add", results("add", 409, 403))).toMatchObject({ code: "forbidden" });
  });
});
