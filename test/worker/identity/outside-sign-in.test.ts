// Dashboard sign-in through an external issuer: the browser's own steps against a real issuer.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Env } from "#root/src/env.ts";
import { setPassword } from "#root/src/services/identity/password-links.ts";
import { suspendUser } from "#root/src/services/users/suspend.ts";
import { TestIssuer } from "../../support/identity/issuer.ts";
import { type Browser, browser } from "../support/browser.ts";
import { APP } from "../support/gateway.ts";
import { freshEmail, someone } from "../support/people.ts";

const CLIENT = { id: "dashboard", secret: "a secret of : and %", redirectUri: `${APP}/api/dashboard/sign-in/callback` };

let issuer: TestIssuer;
let configured: Partial<Env>;

beforeEach(() => {
  issuer = new TestIssuer(`https://issuer-${crypto.randomUUID()}.example`, CLIENT);
  issuer.person = { sub: crypto.randomUUID(), email: freshEmail(), email_verified: true, name: "Ana" };
  configured = {
    IDENTITY_ISSUER: issuer.url,
    IDENTITY_AUDIENCE: "gateway",
    IDENTITY_CLIENT_ID: CLIENT.id,
    IDENTITY_CLIENT_SECRET: CLIENT.secret,
  };
  const { fetch } = globalThis;
  vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => {
    const request = new Request(input, init);
    return request.url.startsWith(issuer.url) ? issuer.handle(request) : fetch(input, init);
  });
});
afterEach(() => void vi.restoreAllMocks());

const place = (answer: Response): string => answer.headers.get("location") ?? "";

/** The issuer's redirect back to the gateway. */
async function atTheIssuer(go: Browser, to = "/connections?filter=down#list"): Promise<string> {
  const began = await go("GET", `/api/dashboard/sign-in?to=${encodeURIComponent(to)}`);
  expect([began.status, began.headers.get("cache-control")]).toEqual([302, "no-store"]);
  expect(place(began)).toContain(`${issuer.url}/authorize?`);
  return place(await issuer.handle(new Request(place(began))));
}

/** The browser's path after the redirect. */
async function signIn(go: Browser, to?: string): Promise<string> {
  return place(await go("GET", new URL(await atTheIssuer(go, to)).href.replace(APP, "")));
}

const statusOfMe = async (go: Browser) => (await go("GET", "/api/dashboard/me")).status;
const problemOf = (path: string) => new URL(path, APP).searchParams.get("error");

describe("signing in by an outside issuer", () => {
  it("returns to the requested page, with a session of our own and no token of the issuer's", async () => {
    const go = browser(configured);
    expect(await statusOfMe(go)).toBe(401);
    const back = await go("GET", (await atTheIssuer(go)).replace(APP, ""));
    expect([back.status, place(back)]).toEqual([302, "/connections?filter=down#list"]);
    expect(await back.text()).toBe("");
    const cookies = back.headers.getSetCookie();
    expect(cookies.find((set) => set.startsWith("__Host-gateway.session_token="))).toMatch(/Max-Age=43200/);
    expect(cookies.join("\n")).not.toContain("eyJ");
    const me = (await (await go("GET", "/api/dashboard/me")).json()) as { data: { email: string; name: string } };
    expect(me.data).toMatchObject({ email: issuer.person["email"], name: "Ana" });
    const { results } = await env.DB.prepare("SELECT * FROM account WHERE provider_id = ?").bind(issuer.url).all();
    expect(results).toEqual([expect.objectContaining({ access_token: null, refresh_token: null, id_token: null })]);
  });

  it("redirects only into the dashboard", async () => {
    for (const to of [
      "https://evil.example/",
      "//evil.example",
      "/\\evil.example",
      "connections",
      "/api/dashboard/sign-in",
      "/%0d%0a//x",
    ]) {
      expect([to, await signIn(browser(configured), to)]).toEqual([to, to === "/%0d%0a//x" ? to : "/"]);
    }
  });

  it("takes the address from the user info where no token has it", async () => {
    issuer.onlyAtUserInfo = ["email", "email_verified", "name"];
    const go = browser(configured);
    expect(await signIn(go)).toBe("/connections?filter=down#list");
    expect(await (await go("GET", "/api/dashboard/me")).json()).toMatchObject({ data: { email: issuer.person["email"], name: "Ana" } });
  });

  it("works as a public client too", async () => {
    const { url, person } = issuer;
    issuer = new TestIssuer(url, { ...CLIENT, secret: null });
    issuer.person = person;
    const go = browser({ ...configured, IDENTITY_CLIENT_SECRET: "" });
    expect(await signIn(go)).toBe("/connections?filter=down#list");
    expect(await statusOfMe(go)).toBe(200);
  });

  it.each<[string, () => void]>([
    ["another nonce", () => (issuer.bent = { nonce: "another" })],
    ["no nonce", () => (issuer.bent = { nonce: undefined })],
    ["another audience", () => (issuer.bent = { aud: "another" })],
    ["another issuer", () => (issuer.bent = { iss: "https://another.example" })],
    ["an expired token", () => (issuer.bent = { exp: Math.floor(Date.now() / 1000) - 600 })],
    ["a signature by another key", () => (issuer.signsWithAnother = true)],
    ["the person's refusal", () => (issuer.refusal = "access_denied")],
    ["somebody else's address that it has not verified", () => (issuer.person = { ...issuer.person, email: taken, email_verified: false })],
    [
      "somebody else's address that only the other source calls verified",
      () => {
        issuer.person = { ...issuer.person, email: taken };
        issuer.onlyAtUserInfo = ["email"];
        issuer.atUserInfo = { email_verified: false };
      },
    ],
    [
      "somebody else's address of the token that only the other source calls verified",
      () => {
        issuer.person = { ...issuer.person, email: taken };
        issuer.onlyAtUserInfo = ["email_verified"];
      },
    ],
  ])("refuses %s", async (_, bend) => {
    bend();
    const go = browser(configured);
    expect(problemOf(await signIn(go))).toBe("unauthorized");
    expect(await statusOfMe(go)).toBe(401);
  });

  it("refuses a response requested by another browser, with another state, or already used", async () => {
    const [go, other] = [browser(configured), browser(configured)];
    const answer = (await atTheIssuer(go)).replace(APP, "");
    expect(problemOf(place(await other("GET", answer)))).toBe("unauthorized");
    await atTheIssuer(other);
    expect(problemOf(place(await other("GET", answer)))).toBe("unauthorized");
    expect(place(await go("GET", answer))).toBe("/connections?filter=down#list");
    expect(problemOf(place(await go("GET", answer)))).toBe("unauthorized");
    expect(await statusOfMe(other)).toBe(401);
  });

  it("refuses a suspended account", async () => {
    const go = browser(configured);
    await signIn(go);
    const me = (await (await go("GET", "/api/dashboard/me")).json()) as { data: { id: string } };
    await suspendUser(env as Env, me.data.id);
    expect(problemOf(await signIn(browser(configured)))).toBe("account_suspended");
    expect(await statusOfMe(go)).toBe(403);
  });

  it.each(["/.well-known/openid-configuration", "/token", "/keys"])("reports that the issuer fails at %s", async (path) => {
    issuer.broken = [path];
    const go = browser(configured);
    const began = await go("GET", "/api/dashboard/sign-in?to=/account");
    const ended =
      path === "/.well-known/openid-configuration"
        ? began
        : await go("GET", place(await issuer.handle(new Request(place(began)))).replace(APP, ""));
    const page = new URL(place(ended), APP);
    expect([page.pathname, page.searchParams.get("error"), page.searchParams.get("to")]).toEqual(["/sign-in", "unavailable", "/account"]);
    issuer.broken = [];
    expect(await signIn(go)).toBe("/connections?filter=down#list");
  });

  it("leads to the sign-in page if the dashboard has its own passwords or has no client id at the issuer", async () => {
    expect(place(await browser()("GET", "/api/dashboard/sign-in?to=/account"))).toBe("/sign-in?to=%2Faccount");
    const unknown = await browser({ ...configured, IDENTITY_CLIENT_ID: "" })("GET", "/api/dashboard/sign-in");
    expect(problemOf(place(unknown))).toBe("not_supported");
  });

  it("ends every session that another issuer, or the local password, started", async () => {
    const { user } = await someone();
    await setPassword(env as Env, user.id, "correct horse battery");
    const go = browser();
    await go("POST", "/api/auth/sign-in/email", { email: user.email, password: "correct horse battery" });
    expect(await statusOfMe(go)).toBe(200);
    const cookieOfBoth = go.with(configured);
    expect(await statusOfMe(cookieOfBoth)).toBe(401);
    const outside = browser(configured);
    await signIn(outside);
    expect(await statusOfMe(outside)).toBe(200);
    expect(await statusOfMe(outside.with({}))).toBe(401);
    expect((await outside.with({})("GET", "/api/auth/token")).status, "no token of the local sign-in either").toBe(401);
    expect(await statusOfMe(outside.with({ ...configured, IDENTITY_ISSUER: "https://another.example" }))).toBe(401);
  });
});

const taken = freshEmail();
beforeEach(async () => {
  const { createUser } = await import("#root/src/services/users/user-table.ts");
  await createUser(env.DB, taken, "Bia");
});
