// Requests while D1 fails in the ways the platform documents.
import { env } from "cloudflare:workers";
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { expect, it } from "vitest";
import { createApp } from "#root/src/app.ts";
import type { Env } from "#root/src/env.ts";
import { never } from "#root/src/http/response-headers.ts";
import { holder, instanceOf } from "../support/accounts.ts";
import { evict } from "../support/eviction.ts";
import { failEverywhere, failingDatabase, type Fault, oneIn, PASSING_ERRORS } from "../support/failing-database.ts";
import { gateway } from "../support/gateway.ts";

const app = createApp({ plainHttpAllowed: never });

async function asked(key: string, method: string, path: string, fault: (sql: string) => Fault | null): Promise<Response> {
  const context = createExecutionContext();
  const all = { ...env, DB: failingDatabase(env.DB, fault) } as unknown as Env;
  const headers = { "x-api-key": key, "content-type": "application/json" };
  const body = method === "GET" ? null : JSON.stringify({ name: "Ana" });
  const answer = await app.fetch(new Request(`https://app.example.com/api${path}`, { method, headers, body }), all, context);
  await waitOnExecutionContext(context);
  return answer;
}

const REQUESTS = [
  ["GET", "/instances"],
  ["GET", "/webhooks"],
  ["GET", "/api-keys"],
  ["POST", "/api-keys"],
  ["POST", "/instances"],
] as const;

it.each(PASSING_ERRORS)("requests are answered 503 with Retry-After after %s", async (message) => {
  const { key } = await holder();
  for (const [method, path] of REQUESTS) {
    const answer = await asked(key, method, path, () => ({ message }));
    const { error } = await answer.json<{ error: { code: string } }>();
    expect([method, path, answer.status, error.code]).toEqual([method, path, 503, "unavailable"]);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  }
});

it("requests are never answered 500 while one statement in ten fails, before or after it has run", async () => {
  const { key } = await holder();
  const fault = oneIn(10);
  const statuses = new Set<number>();
  for (let round = 0; round < 20; round += 1) {
    for (const [method, path] of REQUESTS) {
      const answer = await asked(key, method, path, fault);
      await answer.text();
      statuses.add(answer.status);
    }
  }
  expect(statuses).not.toContain(500);
  expect(statuses).toContain(200);
  expect(statuses).toContain(503);
});

it("requests are answered 500 after any other error", async () => {
  const { key } = await holder();
  const answer = await asked(key, "GET", "/instances", () => ({ message: "no such table: connection: SQLITE_ERROR" }));
  expect([answer.status, (await answer.json<{ error: { code: string } }>()).error.code]).toEqual([500, "internal_error"]);
});

it("instance routes keep working with a key that the account's guard has read, even after an eviction", async () => {
  const { call, who } = await holder(gateway());
  const { id } = await instanceOf(call);
  const status = async () => (await call("GET", `/instances/${id}/status`)).status;
  // The first call looks up the account; the second loads its guard.
  expect([await status(), await status()]).toEqual([200, 200]);
  await evict(env.ACCOUNT_GUARD.getByName(who.user.id));
  const outage = failEverywhere(() => ({ message: PASSING_ERRORS[0] }));
  try {
    expect(await status()).toBe(200);
    expect((await call("GET", "/instances")).status).toBe(503);
  } finally {
    outage.end();
  }
});
