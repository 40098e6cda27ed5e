// Numbers of a suspended account.
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import type { Env } from "#root/src/env.ts";
import { pushChangedAccounts } from "#root/src/services/connections/pending-records.ts";
import { lookUpRecord } from "#root/src/services/connections/record.ts";
import { setSubscription } from "#root/src/services/subscriptions/set.ts";
import { activateUser, suspendUser } from "#root/src/services/users/suspend.ts";
import { allEnded, event, TestConnection } from "../fakes/connection.ts";
import { codeOf, holder } from "../support/accounts.ts";
import { gateway } from "../support/gateway.ts";

const ask = gateway();
const bindings = env as Env;
afterEach(allEnded);

/** A connected number and its owner. */
async function connected() {
  const owner = await holder();
  const connection = await TestConnection.create({ owner_id: owner.who.user.id });
  const bridge = await connection.bridge();
  await connection.ask("instance.connect", { force_new_pairing: false });
  await (await bridge.open(connection.uuid)).commit([event.open()]);
  return { owner, connection, bridge };
}

it("a suspension disconnects numbers, which can be read but not connected, and its end reconnects them", async () => {
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

it("the end of a suspension connects no number that was disconnected when it began", async () => {
  const { owner, connection } = await connected();
  await connection.ask("instance.disconnect", {});
  await suspendUser(bindings, owner.who.user.id);
  expect(await connection.status()).toBe("disconnected/manual");
  await activateUser(bindings, owner.who.user.id, Date.now());
  expect(await connection.status()).toBe("disconnected/manual");
});

it("a suspension holds in an object that was evicted or crashed, and ends in one that missed the end", async () => {
  const { owner, connection, bridge } = await connected();
  await suspendUser(bindings, owner.who.user.id);
  await connection.crash();
  expect(await connection.status()).toBe("disconnected/account_suspended");
  // The suspension's end is in D1, but its push was lost. The watchdog repeats it.
  await connection.crash();
  const guard = { endStreams: async () => undefined, pushRecords: () => Promise.reject(new Error("away")) };
  const away = { getByName: () => guard } as unknown as Env["ACCOUNT_GUARD"];
  await expect(activateUser({ ...bindings, ACCOUNT_GUARD: away }, owner.who.user.id, Date.now())).rejects.toThrow("away");
  expect(await connection.status()).toBe("disconnected/account_suspended");
  await pushChangedAccounts(bindings, Date.now() + 61_000, 1_000);
  await bridge.open(connection.uuid);
  expect(await connection.status()).toBe("connecting/resuming");
});

describe("a record that was read before a change and arrives after it", () => {
  async function connected() {
    const owner = await holder();
    const userId = owner.who.user.id;
    const connection = await TestConnection.create({ owner_id: userId });
    const bridge = await connection.bridge();
    await connection.ask("instance.connect", { force_new_pairing: false });
    await (await bridge.open(connection.uuid)).commit([event.open()]);
    const read = async () => {
      const record = await lookUpRecord(bindings, connection.uuid);
      if (record === null) throw new Error("no record");
      return record;
    };
    const connect = async () => {
      const asked = await connection.ask("instance.connect", { force_new_pairing: false });
      return asked.ok ? "ok" : asked.code;
    };
    return { userId, connection, bridge, read, connect };
  }

  it("ends neither a suspension nor its end", async () => {
    const { userId, connection, bridge, read, connect } = await connected();
    const active = await read();
    await suspendUser(bindings, userId);
    await connection.stub.configure(active);
    expect([await connection.status(), await connect()]).toEqual(["disconnected/account_suspended", "account_suspended"]);
    const suspended = await read();
    await activateUser(bindings, userId, Date.now());
    await connection.stub.configure(suspended);
    await (await bridge.open(connection.uuid)).commit([event.open()]);
    expect(await connection.status()).toBe("connected/ok");
  });

  it("brings no ended subscription back, also when the object woke by it", async () => {
    const { userId, connection, read, connect } = await connected();
    const paid = await read();
    const terms = { plan: "test", status: "canceled", maxInstances: 50, currentPeriodEnd: null } as const;
    await setSubscription(bindings, userId, terms, Date.now());
    const refused = [await connection.status(), await connect()];
    expect(refused[1]).toBe("subscription_required");
    await connection.stub.configure(paid);
    expect([await connection.status(), await connect()]).toEqual(refused);
    await connection.crash();
    await connection.stub.configure(paid);
    expect([await connection.status(), await connect()]).toEqual(refused);
  });
});

it("a suspension reaches objects whose records are newer than the state that the database was restored to", async () => {
  const owner = await holder();
  const connection = await TestConnection.create({ owner_id: owner.who.user.id });
  await activateUser(bindings, owner.who.user.id, Date.now());
  await env.DB.prepare("UPDATE record_revision SET revision = 1").run();
  await suspendUser(bindings, owner.who.user.id);
  expect(await connection.ask("instance.connect", { force_new_pairing: false })).toMatchObject({ code: "account_suspended" });
});
