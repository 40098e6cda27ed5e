import { describe, expect, it } from "vitest";
import { currentSecret } from "@gateway/domain/keys/secrets.ts";
import { type Env, settingsOf } from "#root/src/env.ts";

const A = "a-secret-of-thirty-two-characters-or-more";
const B = "b-secret-of-thirty-two-characters-or-more";

const GOOD = { APP_URL: "https://a.example", BASE_URL: "https://b.example", MAIL_FROM: "a@b.example" };
const NAMES = ["KEY_SECRET", "STATE_SECRET", "BRIDGE_SECRET", "AUTH_SECRET"] as const;
const bindings = (change: Record<string, string>) =>
  ({ ...GOOD, ...Object.fromEntries(NAMES.map((name) => [name, A])), ...change }) as unknown as Env;

/** The thrown error as it would appear in a log. */
function problemOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return error instanceof Error ? `${error.message} ${error.stack}` : String(error);
  }
  return "";
}

describe.each(NAMES)("%s", (name) => {
  it("is named when it is bad, and its value is not shown", () => {
    const problem = problemOf(() => settingsOf(bindings({ [name]: `1:${A} ${B}` })));
    expect(problem).toContain(`bad settings: ${name}: entry 2 has no number`);
    expect(problem).not.toContain(A);
    expect(problem).not.toContain(B);
  });

  it("takes a plain secret and numbered ones", () => {
    expect(currentSecret(settingsOf(bindings({}))[name]).kid).toBe(1);
    expect(currentSecret(settingsOf(bindings({ [name]: `7:${B} 1:${A}` }))[name]).kid).toBe(7);
  });
});
