// Responses to a browser: no cache stores them, and no script can read the session.
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { IDENTITY_ROUTES } from "#root/src/api/dashboard/auth-routes.ts";
import { DASHBOARD_ROUTES } from "#root/src/api/dashboard.ts";
import type { Env } from "#root/src/env.ts";
import { setPassword } from "#root/src/services/identity/password-links.ts";
import { browser } from "../support/browser.ts";
import { APP, freshAddress, gateway } from "../support/gateway.ts";
import { someone } from "../support/people.ts";

const PRIVATE = ["no-store", "nosniff"];
const headersOf = ({ headers }: Response) => [headers.get("cache-control"), headers.get("x-content-type-options")];

it("no cache keeps a response to a person, including refusals and missing addresses", async () => {
  const { headers } = await someone();
  const rows = [
    ...DASHBOARD_ROUTES.map(({ name }) => name.replace(" ", " /api/dashboard").replaceAll(/\{\w+\}/g, "1")),
    ...IDENTITY_ROUTES.map(({ method, path }) => `${method} /api/auth${path}`),
    "GET /api/dashboard/sign-in",
    "GET /api/dashboard/sign-in/callback",
    "GET /api/dashboard/none",
    "GET /api/auth/none",
  ];
  expect(rows.length).toBeGreaterThan(40);
  for (const row of rows) {
    const [method = "", path = ""] = row.split(" ");
    for (const credentials of [{}, headers]) {
      const sent = method === "GET" ? {} : { body: "{}" };
      const asked = { origin: APP, "cf-connecting-ip": freshAddress(), "content-type": "application/json", ...credentials };
      const answer = await gateway()(path, { method, headers: asked, redirect: "manual", ...sent });
      expect([row, ...headersOf(answer)]).toEqual([row, ...PRIVATE]);
      await answer.body?.cancel();
    }
  }
});

it("no script can read the session", async () => {
  const { user } = await someone();
  await setPassword(env as Env, user.id, "correct horse battery");
  const go = browser();
  const answers = [
    await go("POST", "/api/auth/sign-in/email", { email: user.email, password: "correct horse battery" }),
    await go("GET", "/api/auth/get-session"),
    await go("GET", "/api/dashboard/session"),
    await go("GET", "/api/dashboard/sessions"),
  ];
  const row = await env.DB.prepare("SELECT token FROM session WHERE user_id = ?").bind(user.id).first<{ token: string }>();
  for (const answer of answers) {
    expect(answer.status).toBe(200);
    const shown = [...answer.headers].filter(([name]) => name !== "set-cookie").join("\n") + (await answer.text());
    expect(shown).not.toContain(row?.token);
    expect(shown).not.toMatch(/set-auth-token|"token"/);
  }
});
