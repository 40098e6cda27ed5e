// Public health: a worker deployed without a secret reports which one is missing, and never the value of another.
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { Env } from "#root/src/env.ts";
import { poolOf } from "#root/src/services/bridges/pool-stub.ts";
import { connectionStub } from "#root/src/services/connections/stub.ts";
import { gateway } from "../support/gateway.ts";

async function health(bindings: Partial<Env> = {}) {
  const answer = await gateway(bindings)("/api/health");
  return { status: answer.status, body: (await answer.json()) as { status: string; problems?: unknown } };
}

it("the health check is ok", async () => {
  expect(await health()).toEqual({ status: 200, body: { status: "ok", version: "1.0", time: expect.any(String) } });
});

it.each([
  [{ STATE_SECRET: undefined }, { name: "STATE_SECRET", problem: "not set" }],
  [{ KEY_SECRET: "too-short-a-secret" }, { name: "KEY_SECRET", problem: expect.not.stringContaining("too-short-a-secret") }],
  [{ BRIDGE_HOST: "nowhere" }, { name: "BRIDGE_HOST", problem: expect.any(String) }],
  [{ MEDIA: undefined }, { name: "MEDIA", problem: "the binding is missing" }],
  [{ REGION: "brazil" }, { name: "REGION", problem: expect.any(String) }],
])("the health check names what is missing or wrong: %j", async (bindings, problem) => {
  const { status, body } = await health(bindings as Partial<Env>);
  expect([status, body.status, body.problems]).toEqual([503, "misconfigured", [problem]]);
});

it("a pool and a new connection are created in the deployment's region", () => {
  const hints: unknown[] = [];
  const namespace = { getByName: (name: string, options?: object) => hints.push([name, options]) } as unknown as DurableObjectNamespace;
  const all = { ...env, BRIDGE_POOL: namespace, CONNECTION: namespace, REGION: "sam" } as Env;
  poolOf(all, null);
  poolOf(all, "weur/1");
  poolOf({ ...all, REGION: "" }, null);
  connectionStub(all, "a", "sam");
  expect(hints).toEqual([
    ["default", { locationHint: "sam" }],
    ["weur/1", { locationHint: "weur" }],
    ["default", undefined],
    ["a", { locationHint: "sam" }],
  ]);
});
