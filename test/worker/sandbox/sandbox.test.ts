// `/sandbox/*` exists only in the sandbox, for local callers; never in production.
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Env } from "#root/src/env.ts";
import { applyMigrations } from "#root/server/runtime/migrate.ts";
import { createApp } from "#root/src/app.ts";
import { keyHash } from "@gateway/domain/keys/api-key.ts";
import type { Call, CallResult } from "@gateway/protocol/connection.ts";
import { isLoopback, sandboxDeployment, sandboxEnv } from "#root/src/sandbox/sandbox-env.ts";
import { sandboxRoutes } from "#root/src/sandbox/routes.ts";
import { sendMail } from "#root/src/services/mail/send.ts";
import { gateway, scriptedConnections } from "../support/gateway.ts";
import { freshEmail } from "../support/people.ts";

const HOME = "http://127.0.0.1:8787";
const app = createApp({ plainHttpAllowed: isLoopback, extend: (routes) => routes.route("/sandbox", sandboxRoutes()) });

/** Objects that store keys like the real ones. */
function keyKeepingObjects() {
  const keys = new Map<string, { id: string; name: string; prefix: string; hash: string; created_at: number; last_used_at: null }>();
  const script = (call: Call): CallResult => {
    const input = JSON.parse(call.input) as { id: string; name: string; prefix: string; hash: string };
    if (call.operation === "keys.list") return { ok: true, json: JSON.stringify({ items: [...keys.values()] }) };
    if (call.operation === "keys.revoke")
      return keys.delete(input.id) ? { ok: true, json: "{}" } : { ok: false, failure: { code: "key_not_found" } };
    if (call.operation !== "keys.create") return { ok: false, failure: { code: "unavailable" } };
    if (keys.size >= 3) return { ok: false, failure: { code: "key_limit" } };
    const key = { ...input, id: crypto.randomUUID(), created_at: 0, last_used_at: null };
    keys.set(key.id, key);
    return { ok: true, json: JSON.stringify(key) };
  };
  return { ...scriptedConnections(script), keys };
}

function sandbox(objects = keyKeepingObjects()) {
  const bindings = sandboxEnv({ ...env, APP_URL: HOME, BASE_URL: HOME, ...objects } as Env);
  const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}, home = HOME) =>
    app.fetch(
      new Request(home + path, {
        method,
        headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
      bindings,
      createExecutionContext(),
    );
  return { ask, objects, bindings };
}

describe("the migrations of a local database", () => {
  const files = (second: string) => [
    {
      name: "9001_first.sql",
      sql: "CREATE TABLE first_of_test (a TEXT);\n--> statement-breakpoint\nINSERT INTO first_of_test VALUES ('stored');",
    },
    { name: "9002_second.sql", sql: second },
  ];
  const migrate = (second: string) => applyMigrations(env.DB, files(second));

  it("applies what is missing, each file whole or not at all", async () => {
    const broken = migrate("CREATE TABLE second_of_test (a TEXT);--> statement-breakpoint\nINSERT INTO nowhere VALUES (1);");
    await expect(broken).rejects.toThrow("nowhere");
    expect(await migrate("CREATE TABLE second_of_test (a TEXT);")).toEqual(["9002_second.sql"]);
    expect(await migrate("CREATE TABLE second_of_test (a TEXT);")).toEqual([]);
    expect(await env.DB.prepare("SELECT a FROM first_of_test").all()).toMatchObject({ results: [{ a: "stored" }] });
  });
});

type Token = { access_token: string; expires_at: string };

describe("POST /sandbox/token", () => {
  it("issues a token for any user, and gives a new one an active subscription", async () => {
    const { ask } = sandbox();
    const email = freshEmail();
    const answer = await ask("POST", "/sandbox/token", { email });
    const token = (await answer.json()) as Token;
    expect([answer.status, Object.keys(token).toSorted()]).toEqual([200, ["access_token", "expires_at"]]);
    expect(Date.parse(token.expires_at)).toBeGreaterThan(Date.now());
    const me = await ask("GET", "/api/dashboard/me", undefined, { authorization: `Bearer ${token.access_token}` });
    expect(((await me.json()) as { data: object }).data).toMatchObject({ email, role: "user", subscription: { status: "active" } });
  });

  it("ends and starts the subscription, notifies the owner's objects, and makes admins", async () => {
    const { ask } = sandbox({ ...keyKeepingObjects(), CONNECTION: env.CONNECTION as never });
    const email = freshEmail();
    const meOf = async (body: object) => {
      const { access_token } = (await (await ask("POST", "/sandbox/token", { email, ...body })).json()) as Token;
      const headers = { authorization: `Bearer ${access_token}` };
      return {
        headers,
        me: (
          (await (await ask("GET", "/api/dashboard/me", undefined, headers)).json()) as {
            data: { role: string; subscription: { status: string } | null };
          }
        ).data,
      };
    };
    expect((await meOf({ subscription: null })).me.subscription).toBeNull();
    const started = await meOf({ subscription: "active" });
    expect(started.me.subscription?.status).toBe("active");
    const made = await ask("POST", "/api/dashboard/connections", { name: "A" }, started.headers);
    expect(made.status).toBe(201);
    const { id } = ((await made.json()) as { data: { id: number } }).data;
    const connect = async () => (await ask("POST", `/api/dashboard/connections/${id}/connect`, {}, started.headers)).status;
    expect(await connect()).toBe(200);
    expect((await meOf({ subscription: null })).me.subscription?.status).toBe("canceled");
    expect(await connect()).toBe(402);
    expect((await meOf({})).me.subscription?.status).toBe("canceled");
    expect((await meOf({ role: "admin", subscription: "active" })).me.role).toBe("admin");
    expect(await connect()).toBe(200);
    expect((await meOf({})).me.role).toBe("admin");
  });

  it("refuses invalid and unknown fields", async () => {
    const { ask } = sandbox();
    for (const body of [{}, { email: "x" }, { email: "a@b.co", subscription: "no" }, { email: "a@b.co", more: 1 }]) {
      expect((await ask("POST", "/sandbox/token", body)).status).toBe(400);
    }
  });
});

describe("GET /sandbox/mail", () => {
  it("lists what the gateway sent, newest first, across restarts", async () => {
    const { ask, bindings } = sandbox();
    const to = freshEmail();
    await sendMail(bindings, { to, subject: "um", text: "1" });
    await sendMail(sandboxEnv({ ...bindings } as Env), { to, subject: "dois", text: "2" });
    const { data } = (await (await ask("GET", "/sandbox/mail")).json()) as { data: { to: string; sent_at: string }[] };
    expect(data.filter((mail) => mail.to === to)).toEqual([
      { to, subject: "dois", text: "2", sent_at: expect.any(String) },
      { to, subject: "um", text: "1", sent_at: expect.any(String) },
    ]);
    expect(new Date(data[0]?.sent_at ?? "").toISOString()).toBe(data[0]?.sent_at);
  });
});

describe("POST /sandbox/setup", () => {
  it("makes the demo once, and new keys for a lost answer", async () => {
    const { ask, objects } = sandbox();
    const request = {
      admin: { email: freshEmail(), password: "admin password" },
      demo: { email: freshEmail(), password: "demo password", connection: "Demo" },
    };
    type Setup = { data: { api_key: string; connection: { id: number; instance_id: string; name: string; api_key: string } } };
    const first = ((await (await ask("POST", "/sandbox/setup", request)).json()) as Setup).data;
    const again = ((await (await ask("POST", "/sandbox/setup", request)).json()) as Setup).data;
    expect(first.connection).toMatchObject({ name: "Demo", instance_id: expect.any(String), api_key: expect.stringMatching(/^svc_/) });
    expect([again.connection.id, again.connection.instance_id]).toEqual([first.connection.id, first.connection.instance_id]);
    expect([...objects.keys.values()].map((key) => key.hash)).toEqual([keyHash(again.connection.api_key)]);
    expect(again.api_key).not.toBe(first.api_key);
    for (const [email, password, role] of [
      [request.admin.email, "admin password", "admin"],
      [request.demo.email, "demo password", "user"],
    ] as const) {
      const session = await ask("POST", "/api/auth/sign-in/email", { email, password }, { origin: HOME, "cf-connecting-ip": "127.0.0.9" });
      expect(session.status).toBe(200);
      const cookie = session.headers
        .getSetCookie()
        .map((set) => set.split(";")[0])
        .join("; ");
      const me = await ask("GET", "/api/dashboard/me", undefined, { cookie });
      expect(((await me.json()) as { data: { role: string } }).data.role).toBe(role);
    }
  });
});

describe("these routes", () => {
  it("answer on this machine only, over plain HTTP, and require JSON", async () => {
    const { ask } = sandbox();
    for (const home of ["http://127.0.0.1:1", "http://localhost:1", "http://[::1]:1", "https://127.0.0.1:1"]) {
      expect([home, (await ask("GET", "/sandbox/mail", undefined, {}, home)).status]).toEqual([home, 200]);
    }
    for (const home of ["http://evil.example", "https://evil.example", "http://127.0.0.1.evil.example", "http://10.0.0.1"]) {
      expect([home, (await ask("GET", "/sandbox/mail", undefined, {}, home)).status]).toEqual([home, 403]);
    }
    expect((await ask("POST", "/sandbox/token", { email: freshEmail() }, { "content-type": "text/plain" })).status).toBe(415);
    expect((await ask("GET", "/sandbox/token")).status).toBe(404);
  });

  it("do not exist in production", async () => {
    for (const [method, path] of [
      ["POST", "/sandbox/token"],
      ["GET", "/sandbox/mail"],
      ["POST", "/sandbox/setup"],
    ] as const) {
      expect((await gateway()(path, { method })).status).toBe(404);
    }
  });
});

it("the sandbox lifts limits and allows webhooks to this machine only with the flags for it", () => {
  const deploymentOf = (vars: object) => sandboxDeployment({ ...env, ...vars } as Env);
  expect(deploymentOf({})).toEqual({
    limits: { burst: 200, repeatedRead: 60 },
    loopbackReceivers: true,
    localGraph: true,
    proxyCheckMs: 60_000,
  });
  expect(deploymentOf({ SANDBOX_STRICT: "true", SANDBOX_NO_LIMITS: "false" }).loopbackReceivers).toBe(false);
  expect(deploymentOf({ SANDBOX_NO_LIMITS: "true" }).limits).toEqual({
    burst: Number.POSITIVE_INFINITY,
    repeatedRead: Number.POSITIVE_INFINITY,
  });
});
