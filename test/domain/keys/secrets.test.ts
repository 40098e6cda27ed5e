import { describe, expect, it } from "vitest";
import { currentSecret, readSecrets, secretText } from "@gateway/domain/keys/secrets.ts";
import { secretsOf } from "./secrets-of.ts";

const A = "a-secret-of-thirty-two-characters-or-more";
const B = "b-secret-of-thirty-two-characters-or-more";

const shown = (setting: string) => [...secretsOf(setting)].map(([kid, secret]) => [kid, secretText(secret)]);

describe("a setting of secrets", () => {
  it("has numbered entries, the first one current", () => {
    expect(shown(`2:${B} 1:${A}`)).toEqual([
      [2, B],
      [1, A],
    ]);
    expect(currentSecret(secretsOf(`2:${B}  1:${A}\n`)).kid).toBe(2);
    expect(shown(`0:${A} 255:${B}`).map(([kid]) => kid)).toEqual([0, 255]);
  });

  it("may be one secret without a number, which is number 1", () => {
    expect(shown(A)).toEqual([[1, A]]);
    expect(shown(`not-a-number:${A}`)).toEqual([[1, `not-a-number:${A}`]]);
  });

  it.each([
    ["a secret with blanks", `${A} ${B}`, "a secret has no blanks"],
    ["a numbered secret with blanks", `1:${A} ${B}`, "entry 2 has no number"],
    ["a number above 255", `256:${A}`, "a number above 255"],
    ["a number of many digits", `1000:${A}`, "a number above 255"],
    ["the same number twice", `1:${A} 1:${B}`, "entry 2 has the number of an earlier entry"],
    ["the same number written in two ways", `1:${A} 01:${B}`, "entry 2 has the number of an earlier entry"],
    ["a short secret", "short", "must be at least 32 characters"],
    ["a number that makes up for a short secret", `1:${"x".repeat(31)}`, "must be at least 32 characters"],
    ["a short old secret", `2:${A} 1:short`, "entry 2 must be at least 32 characters"],
    ["nothing", " ", "must be at least 32 characters"],
  ])("is refused for %s", (_what, setting, problem) => {
    const read = readSecrets(setting);
    expect(read).toMatchObject({ ok: false, problem: expect.stringContaining(problem) });
  });
});
