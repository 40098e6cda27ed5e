// The signed-in user's account: profile, plan, sessions and keys.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Env } from "#root/src/env.ts";
import { createConnection } from "#root/src/services/connections/create.ts";
import { setPassword } from "#root/src/services/identity/password-links.ts";
import { suspendUser } from "#root/src/services/users/suspend.ts";
import { setRole } from "#root/src/services/users/user-table.ts";
import { scriptedConnections, gateway } from "../support/gateway.ts";
import { type Browser, browser } from "../support/browser.ts";
import { someone, type Someone } from "../support/people.ts";

const PASSWORD = "correct horse battery";
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

let who: Someone;
beforeEach(async () => {
  who = await someone(3);
  await setPassword(env as Env, who.user.id, PASSWORD);
});

async function signedIn(bindings: Partial<Env> = {}): Promise<Browser> {
  const go = browser(bindings);
  expect((await go("POST", "/api/auth/sign-in/email", { email: who.user.email, password: PASSWORD })).status).toBe(200);
  return go;
}

// Responses are checked against the contract on arrival.
const dataOf = async (answer: Promise<Response>): Promise<any> => ((await (await answer).json()) as { data: unknown }).data;
const statusOf = async (answer: Promise<Response>) => (await answer).status;
const codeOf = async (answer: Promise<Response>) => ((await (await answer).json()) as { error: { code: string } }).error.code;

describe("the signed-in user", () => {
  it("is shown to everyone about themselves, and without an error for nobody", async () => {
    const go = browser();
    expect(await dataOf(go("GET", "/api/dashboard/session"))).toEqual({
      user: null,
      suspended: false,
      identity: { kind: "embedded", name: "" },
      sandbox: true,
      webhook_hosts: [],
      support: null,
    });
    const { id, email } = who.user;
    expect(await dataOf((await signedIn())("GET", "/api/dashboard/session"))).toMatchObject({
      user: { id, email, role: "user" },
      suspended: false,
    });
    const named = browser({ IDENTITY_ISSUER: "https://id.acme.example/realm", IDENTITY_NAME: "Acme", BRIDGE_NETWORK: "real" });
    expect(await dataOf(named("GET", "/api/dashboard/session"))).toMatchObject({
      identity: { kind: "issuer", name: "Acme" },
      sandbox: false,
    });
    const unnamed = browser({ IDENTITY_ISSUER: "https://id.acme.example/realm" });
    expect(await dataOf(unnamed("GET", "/api/dashboard/session"))).toMatchObject({ identity: { name: "id.acme.example" } });
  });

  it("is reported as suspended, without further data", async () => {
    const go = await signedIn();
    await suspendUser(env as Env, who.user.id);
    expect(await dataOf(go("GET", "/api/dashboard/session"))).toMatchObject({ user: null, suspended: true });
    expect(await codeOf(go("GET", "/api/dashboard/me"))).toBe("account_suspended");
  });

  it("gets the support contact from the operator's settings", async () => {
    expect(await dataOf((await signedIn())("GET", "/api/dashboard/session"))).toMatchObject({ support: null });
    const go = await signedIn({ SUPPORT_NAME: "Suporte Loja", SUPPORT_EMAIL: "ajuda@example.com", SUPPORT_PHONE: "5511900000001" });
    expect(await dataOf(go("GET", "/api/dashboard/session"))).toMatchObject({
      support: { name: "Suporte Loja", email: "ajuda@example.com", phone: "5511900000001" },
    });
  });

  it("is returned with their plan and usage, and can change their name", async () => {
    const objects = scriptedConnections(() => ({ ok: true, json: "{}" }));
    const go = await signedIn({ BILLING_URL: "https://pay.example/me" });
    const subscription = { plan: "test", status: "active", max_instances: 3, current_period_end: null };
    const none = { usage: { instances: 0 }, billing_url: "https://pay.example/me", subscription };
    expect(await dataOf(go("GET", "/api/dashboard/me"))).toMatchObject(none);
    await createConnection({ ...env, ...objects } as Env, { ownerId: who.user.id, name: "Loja", kind: "session" }, Date.now());
    const changed = await dataOf(go("PATCH", "/api/dashboard/me", { name: "  Ana " }));
    expect(changed).toMatchObject({ name: "Ana", usage: { instances: 1 } });
    expect(await dataOf((await signedIn())("GET", "/api/dashboard/me"))).toMatchObject({ name: "Ana", billing_url: null });
    expect(await statusOf(go("PATCH", "/api/dashboard/me", { name: " " }))).toBe(400);
  });
});

it("120 changes a minute are accepted from a user, whatever they change, and reads are not counted", async () => {
  const { headers } = await someone();
  // The minute must not pass on a slow machine.
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const ask = gateway();
  const rename = () => ask("/api/dashboard/me", { method: "PATCH", headers, body: JSON.stringify({ name: "Ana" }) });
  for (let n = 0; n < 120; n += 1) expect((await rename()).status).toBe(200);
  const refused = await rename();
  expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
  expect((await ask("/api/dashboard/me", { headers })).status).toBe(200);
});

describe("sessions", () => {
  it("are listed with their browser, the asking one marked, and end one by one", async () => {
    const ask = gateway();
    const answered = await ask("/api/auth/sign-in/email", {
      method: "POST",
      headers: { origin: "https://app.example.com", "content-type": "application/json", "user-agent": FIREFOX },
      body: JSON.stringify({ email: who.user.email, password: PASSWORD }),
    });
    const cookie = answered.headers
      .getSetCookie()
      .map((set) => set.split(";")[0])
      .join("; ");
    const [other, go] = [async () => (await ask("/api/dashboard/me", { headers: { cookie } })).status, await signedIn()];
    expect(await other()).toBe(200);
    const sessions = await dataOf(go("GET", "/api/dashboard/sessions"));
    expect(sessions.map(({ current, browser, system }: any) => [current, browser, system]).sort()).toEqual([
      [false, "Firefox", "Linux"],
      [true, null, null],
    ]);
    const stranger = await someone();
    const theirs = sessions.find(({ current }: any) => !current);
    await ask(`/api/dashboard/sessions/${theirs.id}`, { method: "DELETE", headers: stranger.headers, body: "{}" });
    expect(await other()).toBe(200);
    expect(await statusOf(go("DELETE", `/api/dashboard/sessions/${theirs.id}`, {}))).toBe(200);
    expect(await other()).toBe(401);
    expect(await dataOf(go("GET", "/api/dashboard/sessions"))).toHaveLength(1);
  });

  it("end all at once, except the current one", async () => {
    const [go, second, third] = [await signedIn(), await signedIn(), await signedIn()];
    expect(await dataOf(go("DELETE", "/api/dashboard/sessions", {}))).toEqual({ count: 2 });
    expect([await statusOf(second("GET", "/api/dashboard/me")), await statusOf(third("GET", "/api/dashboard/me"))]).toEqual([401, 401]);
    expect(await statusOf(go("GET", "/api/dashboard/me"))).toBe(200);
  });

  it("end the streams of their browser, and no others", async () => {
    const objects = scriptedConnections(() => ({ ok: true, json: "{}" }));
    const made = await createConnection({ ...env, ...objects } as Env, { ownerId: who.user.id, name: "Loja", kind: "session" }, Date.now());
    if (!made.ok) throw new Error(made.failure.code);
    const path = `/api/dashboard/connections/${made.value.id}/stream`;
    const [go, other] = [await signedIn({ CONNECTION: env.CONNECTION }), await signedIn({ CONNECTION: env.CONNECTION })];
    const [mine, theirs] = [await go("GET", path), await other("GET", path)].map((answer) => endOf(answer));
    await go("DELETE", "/api/dashboard/sessions", {});
    await theirs?.ended;
    expect(mine?.isOver()).toBe(false);
    await mine?.cancel();
  });

  it("are marked as used, at most every ten minutes", async () => {
    const go = await signedIn();
    const [before] = await dataOf(go("GET", "/api/dashboard/sessions"));
    const set = (ms: number) => env.DB.prepare("UPDATE session SET updated_at = ? WHERE user_id = ?").bind(ms, who.user.id).run();
    const early = Date.parse(before.last_used_at) - 9 * 60_000;
    await set(early);
    await go("GET", "/api/dashboard/me");
    expect(Date.parse((await dataOf(go("GET", "/api/dashboard/sessions")))[0].last_used_at)).toBe(early);
    await set(early - 2 * 60_000);
    await go("GET", "/api/dashboard/me");
    await vi.waitFor(async () =>
      expect(Date.parse((await dataOf(go("GET", "/api/dashboard/sessions")))[0].last_used_at)).toBeGreaterThan(early),
    );
  });

  it("end by signing out, also when it has ended already; not from another site", async () => {
    const go = await signedIn();
    expect(await statusOf(go.from("https://evil.example")("POST", "/api/dashboard/sign-out", {}))).toBe(403);
    expect(await statusOf(go("GET", "/api/dashboard/me"))).toBe(200);
    const kept = go.with({});
    expect(await statusOf(go("POST", "/api/dashboard/sign-out", {}))).toBe(200);
    expect([await statusOf(go("GET", "/api/dashboard/me")), await statusOf(kept("GET", "/api/dashboard/me"))]).toEqual([401, 401]);
    expect(await statusOf(go("POST", "/api/dashboard/sign-out", {}))).toBe(200);
  });
});

/** Reads an event stream to its end. */
function endOf(answer: Response) {
  let over = false;
  const reader = answer.body?.getReader();
  const ended = (async () => {
    while ((await reader?.read())?.done === false);
    over = true;
  })();
  return { ended, isOver: () => over, cancel: () => reader?.cancel() };
}

describe("account keys", () => {
  it("are made, listed without their value, work, and are removed", async () => {
    const go = await signedIn();
    const made = await dataOf(go("POST", "/api/dashboard/account-keys", { name: "CI", scopes: ["read"] }));
    expect(made).toMatchObject({ name: "CI", scopes: ["read"], instance_ids: null, expires_at: null, last_used_at: null });
    expect(made.key.startsWith(made.prefix)).toBe(true);
    const use = async () => (await gateway()("/api/instances", { headers: { "x-api-key": made.key } })).status;
    expect(await use()).toBe(200);
    const listed = await dataOf(go("GET", "/api/dashboard/account-keys"));
    expect(listed).toEqual([expect.objectContaining({ id: made.id, prefix: made.prefix })]);
    expect(JSON.stringify(listed)).not.toContain(made.key);
    const stranger = await someone();
    const remove = { method: "DELETE", headers: stranger.headers, body: "{}" };
    expect((await gateway()(`/api/dashboard/account-keys/${made.id}`, remove)).status).toBe(404);
    expect(await statusOf(go("DELETE", `/api/dashboard/account-keys/${made.id}`, {}))).toBe(200);
    expect(await use()).toBe(401);
    expect(await codeOf(go("DELETE", `/api/dashboard/account-keys/${made.id}`, {}))).toBe("key_not_found");
  });

  it("have no rights beyond their maker's: no administration, no foreign connection, no expiry in the past", async () => {
    const go = await signedIn();
    const make = (body: object) => go("POST", "/api/dashboard/account-keys", { name: "CI", ...body });
    expect(await codeOf(make({ scopes: ["admin"] }))).toBe("forbidden");
    expect(await codeOf(make({ instance_ids: [crypto.randomUUID()] }))).toBe("instance_not_found");
    expect(await codeOf(make({ expires_at: new Date(Date.now() - 1_000).toISOString() }))).toBe("validation_error");
    expect(await codeOf(make({ name: "😀".repeat(61) }))).toBe("validation_error");
    expect(await statusOf(make({ name: "😀".repeat(60) }))).toBe(201);
    await setRole(env.DB, who.user.id, "admin");
    expect(await dataOf(make({ scopes: ["admin"] }))).toMatchObject({ scopes: ["admin"] });
    expect(await dataOf(make({}))).toMatchObject({ scopes: ["read", "send", "manage"] });
  });
});
