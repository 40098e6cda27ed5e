// The numbers of an account that is suspended.
import { env } from "cloudflare:workers";
import { afterEach, expect, it } from "vitest";
import type { Env } from "../../../src/env.ts";
import { activateUser, suspendUser } from "../../../src/services/users/suspend.ts";
import { allEnded, event, TestConnection } from "../fakes/connection.ts";
import { codeOf, holder } from "../support/accounts.ts";
import { gateway } from "../support/gateway.ts";

const ask = gateway();
const bindings = env as Env;
afterEach(allEnded);

it("disconnects numbers, which nobody connects while it lasts and those with a share may read, and connects them again at its end", async () => {
  const [owner, guest] = [await holder(), await holder()];
  const connection = await TestConnection.create({ owner_id: owner.who.user.id });
  await ask(`/api/dashboard/connections/${connection.record.id}/shares`, {
    method: "POST",
    headers: owner.who.headers,
    body: JSON.stringify({ email: guest.who.user.email, role: "operator" }),
  });
  const bridge = await connection.bridge();
  await connection.ask("instance.connect", { force_new_pairing: false });
  const session = await bridge.open(connection.uuid);
  await session.commit([event.open()]);
  await suspendUser(bindings, owner.who.user.id);
  expect(await connection.status()).toBe("disconnected/account_suspended");
  expect(await session.frames.next("stop")).toEqual({ type: "stop", logout: false });
  expect(codeOf(await guest.call("POST", `/instances/${connection.uuid}/connect`))).toEqual([403, "account_suspended"]);
  expect((await guest.call("GET", `/instances/${connection.uuid}`)).status).toBe(200);
  await activateUser(bindings, owner.who.user.id, Date.now());
  const resumed = await bridge.open(connection.uuid);
  await resumed.commit([event.open()]);
  expect(await connection.status()).toBe("connected/ok");
  expect(resumed.generation).toBeGreaterThan(session.generation);
});

it("connects nothing at its end that was disconnected when it began", async () => {
  const owner = await holder();
  const connection = await TestConnection.create({ owner_id: owner.who.user.id });
  const bridge = await connection.bridge();
  await connection.ask("instance.connect", { force_new_pairing: false });
  await (await bridge.open(connection.uuid)).commit([event.open()]);
  await connection.ask("instance.disconnect", {});
  await suspendUser(bindings, owner.who.user.id);
  expect(await connection.status()).toBe("disconnected/manual");
  await activateUser(bindings, owner.who.user.id, Date.now());
  expect(await connection.status()).toBe("disconnected/manual");
});

it("holds in an object that was evicted or crashed meanwhile, and ends in one that missed the end", async () => {
  const owner = await holder();
  const connection = await TestConnection.create({ owner_id: owner.who.user.id });
  const bridge = await connection.bridge();
  await connection.ask("instance.connect", { force_new_pairing: false });
  await (await bridge.open(connection.uuid)).commit([event.open()]);
  await suspendUser(bindings, owner.who.user.id);
  await connection.crash();
  expect(await connection.status()).toBe("disconnected/account_suspended");
  // The end is in D1, but its push was lost.
  await connection.crash();
  await env.DB.prepare("UPDATE user SET status = 'active' WHERE id = ?").bind(owner.who.user.id).run();
  await connection.status();
  await bridge.open(connection.uuid);
  expect(await connection.status()).toBe("connecting/resuming");
});
