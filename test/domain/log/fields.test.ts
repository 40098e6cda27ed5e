// Text from outside cannot make a log line long, in any process.
import { expect, it } from "vitest";
import { cutFields, errorFields, formatLogLine } from "#root/src/log.ts";

const LONG = "x".repeat(12_000);

it("the texts of a log line are cut at 256 characters, and everything else is left", () => {
  const fields = { origin: LONG, ms: 3, ok: true, code: null, none: undefined };
  expect(JSON.parse(formatLogLine("identity", fields) ?? "")).toEqual({
    event: "identity",
    origin: "x".repeat(256),
    ms: 3,
    ok: true,
    code: null,
  });
  const routine = { share: 0.9999, key: "a", at: 0 };
  expect(formatLogLine("identity", fields, routine)?.length).toBeLessThan(400);
});

it("a log line keeps up to 2,048 characters of a stack, without the error's message", () => {
  const line = JSON.parse(formatLogLine("connection.failed", errorFields(new Error(LONG))) ?? "") as Record<string, string>;
  expect(line["message"]).toHaveLength(256);
  expect(line["stack"]).toMatch(/^at /);
  expect(cutFields({ stack: LONG }).stack).toHaveLength(2_048);
});
