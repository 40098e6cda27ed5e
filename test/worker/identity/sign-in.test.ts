// The embedded identity provider, end to end: sign-up, email, sign-in, cookie, token.
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import type { Env } from "#root/src/env.ts";
import { setPassword } from "#root/src/services/identity/password-links.ts";
import { browser, mailbox } from "../support/browser.ts";
import { APP, type EnglishError, freshAddress, gateway } from "../support/gateway.ts";
import { freshEmail, someone } from "../support/people.ts";

const PASSWORD = "correct horse battery";

async function withPassword() {
  const { user } = await someone();
  await setPassword(env as Env, user.id, PASSWORD);
  return user;
}

describe("a dashboard session", () => {
  it("starts with a password and works by cookie and by token", async () => {
    const user = await withPassword();
    const go = browser();
    expect((await go("GET", "/api/dashboard/me")).status).toBe(401);
    expect((await go("POST", "/api/auth/sign-in/email", { email: user.email, password: PASSWORD })).status).toBe(200);
    const me = (await (await go("GET", "/api/dashboard/me")).json()) as { data: { id: string; subscription: { status: string } } };
    expect(me.data).toMatchObject({ id: user.id, email: user.email, role: "user", subscription: { status: "active" } });

    const { token } = (await (await go("GET", "/api/auth/token")).json()) as { token: string };
    const byToken = await gateway()("/api/dashboard/me", { headers: { authorization: `Bearer ${token}` } });
    expect(((await byToken.json()) as { data: { id: string } }).data.id).toBe(user.id);
    const keys = (await (await go("GET", "/api/auth/jwks")).json()) as { keys: { alg: string; crv: string }[] };
    expect(keys.keys[0]).toMatchObject({ alg: "EdDSA", crv: "Ed25519" });
    expect(JSON.stringify(keys)).not.toContain('"d"');

    expect((await go("POST", "/api/auth/sign-out", {})).status).toBe(200);
    expect((await go("GET", "/api/dashboard/me")).status).toBe(401);
  });

  it("is refused with a wrong password, and limited in attempts", async () => {
    const user = await withPassword();
    const go = browser();
    const statuses = [];
    for (let attempt = 0; attempt < 12; attempt += 1) {
      statuses.push((await go("POST", "/api/auth/sign-in/email", { email: user.email, password: `wrong ${attempt} password` })).status);
    }
    expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 401));
    expect(statuses.slice(10)).toEqual([429, 429]);
  });

  it("cannot make itself an admin", async () => {
    const { MAIL, sent } = mailbox();
    const go = browser({ MAIL });
    const email = freshEmail();
    const asked = { email, password: PASSWORD, name: "Eve" };
    expect((await go("POST", "/api/auth/sign-up/email", { ...asked, role: "admin", status: "active" })).status).toBe(400);
    expect((await go("POST", "/api/auth/sign-up/email", asked)).status).toBe(200);
    await vi.waitFor(() => expect(sent).toHaveLength(1));
    const row = await env.DB.prepare("SELECT role FROM user WHERE email = ?").bind(email).first<{ role: string }>();
    expect(row?.role).toBe("user");
    const user = await withPassword();
    const inside = browser();
    await inside("POST", "/api/auth/sign-in/email", { email: user.email, password: PASSWORD });
    await inside("POST", "/api/auth/update-user", { role: "admin" });
    const me = (await (await inside("GET", "/api/dashboard/me")).json()) as { data: { role: string } };
    expect(me.data.role).toBe("user");
  });

  it("changes nothing from another site, though the cookie comes along", async () => {
    const user = await withPassword();
    const go = browser();
    await go("POST", "/api/auth/sign-in/email", { email: user.email, password: PASSWORD });
    expect((await go("POST", "/api/dashboard/connections", { name: "A" })).status).toBe(201);
    const session = await gateway()("/api/auth/sign-in/email", {
      method: "POST",
      headers: { origin: APP, "content-type": "application/json", "cf-connecting-ip": freshAddress() },
      body: JSON.stringify({ email: user.email, password: PASSWORD }),
    });
    const cookie = session.headers
      .getSetCookie()
      .map((set) => set.split(";")[0])
      .join("; ");
    for (const from of [{ origin: "https://evil.example" }, { origin: "null" }, {}]) {
      const answer = await gateway()("/api/dashboard/connections", {
        method: "POST",
        headers: { cookie, "content-type": "application/json", ...from } as Record<string, string>,
        body: '{"name":"B"}',
      });
      expect([answer.status, ((await answer.json()) as EnglishError).error.code]).toEqual([403, "forbidden"]);
    }
    expect((await gateway()("/api/dashboard/me", { headers: { cookie } })).status).toBe(200);
  });

  it("ends when the same user has signed in twenty times since", { timeout: 180_000 }, async () => {
    const user = await withPassword();
    const signedIn = async () => {
      const go = browser();
      expect((await go("POST", "/api/auth/sign-in/email", { email: user.email, password: PASSWORD })).status).toBe(200);
      return go;
    };
    const sessions = [];
    for (let n = 0; n <= 20; n += 1) sessions.push(await signedIn());
    const [first, second] = sessions;
    expect((await first?.("GET", "/api/dashboard/me"))?.status).toBe(401);
    expect((await second?.("GET", "/api/dashboard/me"))?.status).toBe(200);
  });

  it("is refused while suspended", async () => {
    const { user, headers } = await someone();
    await env.DB.prepare("UPDATE user SET status = 'suspended' WHERE id = ?").bind(user.id).run();
    const answer = await gateway()("/api/dashboard/me", { headers });
    expect([answer.status, ((await answer.json()) as EnglishError).error.code]).toEqual([403, "account_suspended"]);
  });
});
