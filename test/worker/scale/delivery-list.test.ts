// The deliveries of an account's endpoint when the account has more connections than one list can query.
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { Env } from "#root/src/env.ts";
import { createWebhook } from "#root/src/services/account-webhooks/create.ts";
import { accountGuardStub } from "#root/src/services/accounts/guard.ts";
import { gateway } from "../support/gateway.ts";
import { accountOf, endpointOf } from "./large-account.ts";

/** An account whose connections each have one delivery; the first one's failed. */
async function listed(count: number) {
  const world = await accountOf(count);
  const made = await createWebhook(world.bindings, endpointOf(world), Date.now());
  if (!made.ok) throw new Error(made.failure.code);
  const [first = ""] = world.uuids;
  world.state.perform = (uuid) => {
    const status = uuid === first ? "failed" : "delivered";
    const times = { created_at: uuid === first ? 2_000 : 1_000, delivered_at: null, next_attempt_at: null };
    const item = { id: uuid, event: "message.received", status, http_status: 500, attempts: 1, last_error: null, place: 1, ...times };
    return { ok: true, json: JSON.stringify({ items: [item], more: false }) };
  };
  const guard = accountGuardStub(env as unknown as Env, world.id);
  const list = async (query = "") => {
    world.outside.calls = 0;
    const answer = await gateway(world.bindings)(`/api/webhooks/${made.value.id}/deliveries?limit=100${query}`, { headers: world.headers });
    const { data } = await answer.json<{ data: { instance_id: string; status: string }[] }>();
    return { header: answer.headers.get("instances-asked"), data, calls: world.outside.calls };
  };
  return { ...world, first, webhook: made.value.id, guard, list };
}

it("a list of 1,000 connections asks the newest 200 and those with failures, and says so", async () => {
  const { first, uuids, webhook, guard, list } = await listed(1_000);
  const before = await list();
  expect(before).toMatchObject({ header: "200/1000", calls: 200 });
  expect(before.data.map(({ instance_id }) => instance_id)).not.toContain(first);
  await guard.addFailing(webhook, first);
  await guard.addFailing(webhook, first);
  // A connection of another account, or a removed one.
  await guard.addFailing(webhook, crypto.randomUUID());
  const after = await list();
  console.log(`delivery list, 1,000 connections: ${after.calls} objects asked`);
  expect(after).toMatchObject({ header: "201/1000", calls: 201 });
  expect(after.data[0]).toMatchObject({ instance_id: first, status: "failed" });
  expect(await list(`&instance_id=${uuids[500]}`)).toMatchObject({ header: null, calls: 1 });
});

it("a list of 200 connections asks them all, and has nothing to say", async () => {
  const { list } = await listed(200);
  expect(await list()).toMatchObject({ header: null, calls: 200 });
});
