// Sign-in, sessions and access tokens while D1 fails in documented ways; the identity library hides the cause.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Env } from "#root/src/env.ts";
import { setPassword } from "#root/src/services/identity/password-links.ts";
import { browser, type Browser } from "../support/browser.ts";
import { failingDatabase, type Fault, oneIn, PASSING_ERRORS } from "../support/failing-database.ts";
import { someone } from "../support/people.ts";

const PASSWORD = "correct horse battery";

const failing = (fault: (sql: string) => Fault | null) => ({ DB: failingDatabase(env.DB, fault) });

async function signedIn(): Promise<{ go: Browser; email: string }> {
  const { user } = await someone();
  await setPassword(env as Env, user.id, PASSWORD);
  const go = browser();
  expect((await go("POST", "/api/auth/sign-in/email", { email: user.email, password: PASSWORD })).status).toBe(200);
  return { go, email: user.email };
}

const requestsOf = (email: string): readonly (readonly [string, string, unknown?])[] => [
  ["POST", "/api/auth/sign-in/email", { email, password: PASSWORD }],
  ["GET", "/api/auth/get-session"],
  ["GET", "/api/auth/token"],
  ["POST", "/api/auth/update-user", { name: "Ana" }],
  ["POST", "/api/auth/change-password", { currentPassword: PASSWORD, newPassword: PASSWORD }],
  ["POST", "/api/auth/reset-password", { newPassword: PASSWORD, token: "unknown" }],
  ["POST", "/api/auth/sign-out", {}],
  ["GET", "/api/dashboard/session"],
  ["GET", "/api/dashboard/me"],
];

describe("while D1 is away", () => {
  it.each(PASSING_ERRORS)("users are asked to try again, and stay signed in, after %s", async (message) => {
    const { go, email } = await signedIn();
    const away = go.with(failing(() => ({ message })));
    for (const [method, path, body] of requestsOf(email)) {
      const answer = await away(method, path, body);
      expect([path, answer.status, await answer.json()]).toMatchObject([path, 503, { error: { code: "unavailable" } }]);
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
    expect((await go("GET", "/api/dashboard/me")).status).toBe(200);
  });

  it("the public keys of access tokens are unavailable", async () => {
    const answer = await browser(failing(() => ({ message: "Network connection lost." })))("GET", "/api/auth/jwks");
    expect(answer.status).toBe(503);
  });

  it("the page of an emailed link asks to try again", async () => {
    const away = browser(failing(() => ({ message: "Network connection lost." })));
    const answer = await away("GET", "/set-password?token=unknown&lang=en");
    expect([answer.status, Number(answer.headers.get("retry-after")) > 0]).toEqual([503, true]);
    expect(await answer.text()).toMatch(/<a[^>]* href="\/set-password\?token=unknown&amp;lang=en">Try again<\/a>/);
  });
});

it("no request of a browser is answered 500 or signed out while one statement in ten fails", async () => {
  const { go, email } = await signedIn();
  const shaky = go.with(failing(oneIn(10)));
  const statuses = new Set<number>();
  for (let round = 0; round < 8; round += 1) {
    for (const [method, path, body] of requestsOf(email)) {
      if (path.endsWith("/sign-out") || path.endsWith("/change-password")) continue;
      const { status } = await shaky(method, path, body);
      statuses.add(status);
    }
  }
  expect(statuses).not.toContain(500);
  expect(statuses).not.toContain(401);
  expect(statuses).toContain(200);
});

it("any other failure of the database is a defect, and prints no value of a row", async () => {
  const { go } = await signedIn();
  const broken = go.with(failing(() => ({ message: "no such table: session: SQLITE_ERROR" })));
  expect((await broken("GET", "/api/dashboard/me")).status).toBe(500);
});
