// A changed D1 record stays pending until its object has it: after any failure, the watchdog repeats the push.
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Env } from "#root/src/env.ts";
import type { ConnectionRecord } from "@gateway/protocol/connection.ts";
import { changeConnection } from "#root/src/services/connections/change.ts";
import { createConnection, pushPendingToObjects } from "#root/src/services/connections/create.ts";
import { pushPendingRecords } from "#root/src/services/connections/push-records.ts";
import { pushChangedAccounts } from "#root/src/services/connections/pending-records.ts";
import { setSubscription } from "#root/src/services/subscriptions/set.ts";
import { grantBySettings } from "#root/src/services/users/provision.ts";
import { activateUser, deleteUserLater, suspendUser } from "#root/src/services/users/suspend.ts";
import { findUser } from "#root/src/services/users/user-table.ts";
import { scriptedConnections } from "../support/gateway.ts";
import { someone } from "../support/people.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** Differs from the times in other files, so that their pending records do not count here. */
const NOW = Date.now() + 1_000_000;

/** Bindings whose connections or guards reject all calls while `deaf`. */
function world() {
  const [records, guards]: [ConnectionRecord[], string[]] = [[], []];
  const state = { deaf: false };
  const take = async <T>(list: T[], word: T) => {
    if (state.deaf) throw new Error("away");
    list.push(word);
  };
  const bindings = {
    ...env,
    CONNECTION: {
      getByName: () => ({
        configure: (record: ConnectionRecord) => take(records, record),
        accountEndpointsChanged: async () => undefined,
      }),
    },
    ACCOUNT_GUARD: { getByName: (name: string) => ({ pushRecords: () => take(guards, name), endStreams: async () => undefined }) },
  } as unknown as Env;
  return { bindings, records, guards, state };
}

async function connection() {
  const { user } = await someone();
  const scripted = scriptedConnections(() => ({ ok: true, json: "{}" }));
  const made = await createConnection({ ...env, ...scripted } as Env, { ownerId: user.id, name: "A", kind: "session" }, NOW);
  if (!made.ok) throw new Error(made.failure.code);
  return made.value;
}

const pendingOf = async (uuid: string) =>
  (await env.DB.prepare("SELECT pending_revision FROM connection WHERE uuid = ?").bind(uuid).first<{ pending_revision: number | null }>())
    ?.pending_revision;

it("a creation that was cut short between the record and the endpoints is finished by the watchdog", async () => {
  const { user } = await someone();
  const now = NOW + 60 * 60_000;
  await env.DB.prepare("INSERT INTO endpoint_set (user_id, revision, told_revision, changed_at) VALUES (?, 3, 3, 0)").bind(user.id).run();
  const told: string[] = [];
  const state = { dies: true };
  const CONNECTION = {
    getByName: (uuid: string) => ({
      configure: async () => void told.push(`record ${uuid}`),
      // The worker dies, so the rest of the request never runs.
      accountEndpointsChanged: () => (state.dies ? new Promise(() => undefined) : Promise.resolve(void told.push(`endpoints ${uuid}`))),
    }),
  };
  const bindings = { ...env, CONNECTION } as unknown as Env;
  void createConnection(bindings, { ownerId: user.id, name: "A", kind: "session" }, now);
  const uuid = await vi.waitFor(
    () => {
      const configured = told.find((line) => line.startsWith("record "));
      if (configured === undefined) throw new Error("not yet");
      return configured.slice("record ".length);
    },
    { timeout: 60_000 },
  );
  state.dies = false;
  await pushPendingToObjects(bindings, now + 61_000, 200);
  expect(told.filter((line) => line.endsWith(uuid))).toEqual([`record ${uuid}`, `record ${uuid}`, `endpoints ${uuid}`]);
  expect(await pendingOf(uuid)).toBeNull();
});

it("a creation that fails after its object has the record leaves neither a row nor an object", async () => {
  const { user } = await someone();
  await env.DB.prepare("INSERT INTO endpoint_set (user_id, revision, told_revision, changed_at) VALUES (?, 3, 3, 0)").bind(user.id).run();
  const configured: string[] = [];
  const CONNECTION = {
    getByName: (uuid: string) => {
      const stub = env.CONNECTION.getByName(uuid);
      return {
        configure: async (record: ConnectionRecord) => {
          await stub.configure(record);
          configured.push(uuid);
        },
        accountEndpointsChanged: () => Promise.reject(new Error("away")),
        wipe: () => stub.wipe(),
      };
    },
  };
  const bindings = { ...env, CONNECTION } as unknown as Env;
  await expect(createConnection(bindings, { ownerId: user.id, name: "A", kind: "session" }, NOW)).rejects.toThrow("away");
  const [uuid = ""] = configured;
  expect(await env.DB.prepare("SELECT id FROM connection WHERE uuid = ?").bind(uuid).first()).toBeNull();
  const left = await runInDurableObject(env.CONNECTION.getByName(uuid), async (_object, { storage }) => ({
    alarm: await storage.getAlarm(),
    identity: storage.sql.exec("SELECT * FROM identity").toArray(),
  }));
  expect(left).toEqual({ alarm: null, identity: [] });
});

describe("a change of one connection", () => {
  it("is pushed to its object by the watchdog when an earlier push failed", async () => {
    const row = await connection();
    const { bindings, records, state } = world();
    state.deaf = true;
    await expect(changeConnection(bindings, row, { name: "B" }, NOW)).rejects.toThrow("away");
    await pushPendingRecords(bindings, undefined);
    expect([records, await pendingOf(row.uuid)]).toEqual([[], expect.any(Number)]);
    state.deaf = false;
    await pushPendingRecords(bindings, undefined);
    expect(records.filter(({ uuid }) => uuid === row.uuid)).toMatchObject([{ name: "B" }]);
    expect(await pendingOf(row.uuid)).toBeNull();
  });

  it("is no longer pending once its object has it, unless it changed again meanwhile", async () => {
    const row = await connection();
    const { bindings, records } = world();
    expect((await changeConnection(bindings, row, { name: "C" }, NOW)).ok).toBe(true);
    expect([records.length, await pendingOf(row.uuid)]).toEqual([1, null]);
    // Another change reaches D1 while the first push is in flight.
    const crossing = {
      ...bindings,
      CONNECTION: {
        getByName: () => ({ configure: () => changeConnection(bindings, row, { name: "D" }, NOW).then(() => markAgain(row.uuid)) }),
      },
    } as unknown as Env;
    await changeConnection(crossing, row, { name: "E" }, NOW);
    expect(await pendingOf(row.uuid)).toEqual(expect.any(Number));
  });
});

/** Mimics a third change whose revision has not been pushed yet. */
const markAgain = (uuid: string) =>
  env.DB.prepare("UPDATE connection SET pending_revision = (SELECT revision FROM record_revision) WHERE uuid = ?").bind(uuid).run();

it("a new connection's record is pending from its row on, should the request die before its object has it", async () => {
  const { user } = await someone();
  const { bindings, records } = world();
  const seen: unknown[] = [];
  const watching = {
    ...bindings,
    CONNECTION: { getByName: (uuid: string) => ({ configure: async () => void seen.push(await pendingOf(uuid)) }) },
  } as unknown as Env;
  const made = await createConnection(watching, { ownerId: user.id, name: "A", kind: "session" }, NOW);
  expect([made.ok, seen, records]).toEqual([true, [expect.any(Number)], []]);
  expect(made.ok && (await pendingOf(made.value.uuid))).toBeNull();
});

describe("a change of an account", () => {
  const terms = { plan: "test", status: "past_due", maxInstances: 5, currentPeriodEnd: null } as const;
  const changes: Record<string, (bindings: Env, id: string) => Promise<unknown>> = {
    "of its subscription": (bindings, id) => setSubscription(bindings, id, terms, NOW),
    "by a suspension": (bindings, id) => suspendUser(bindings, id),
    "by a deletion that waits": (bindings, id) => deleteUserLater(bindings, id, NOW),
    "by the end of a suspension": async (bindings, id) => {
      await env.DB.prepare("UPDATE user SET status = 'suspended' WHERE id = ?").bind(id).run();
      return activateUser(bindings, id, NOW);
    },
    "by a subscription that the settings give": async (bindings, id) => {
      await env.DB.prepare("DELETE FROM subscription WHERE user_id = ?").bind(id).run();
      const user = await findUser(env.DB, id);
      return user === null ? null : grantBySettings({ ...bindings, SUBSCRIPTIONS: "open" } as Env, user);
    },
  };

  it.each(Object.keys(changes))("is pushed to its guard until the guard has taken it over: %s", async (name) => {
    const { user } = await someone();
    const { bindings, guards, state } = world();
    await pushChangedAccounts(bindings, NOW + 1_000_000, 1_000);
    guards.length = 0;
    state.deaf = true;
    await expect(changes[name]?.(bindings, user.id)).rejects.toThrow("away");
    // The request itself may still be retrying.
    await pushChangedAccounts(bindings, Date.now() + 30_000, 1_000);
    await expect(pushChangedAccounts(bindings, NOW + 2_000_000, 1_000)).rejects.toThrow("away");
    expect(guards).toEqual([]);
    state.deaf = false;
    await pushChangedAccounts(bindings, NOW + 3_000_000, 1_000);
    expect(guards).toEqual([user.id]);
    await pushChangedAccounts(bindings, NOW + 4_000_000, 1_000);
    expect(guards).toEqual([user.id]);
  });

  it("is not pushed again once the guard has it, and never for an unknown account", async () => {
    const { user } = await someone();
    const { bindings, guards } = world();
    await pushChangedAccounts(bindings, NOW + 5_000_000, 1_000);
    guards.length = 0;
    await setSubscription(bindings, user.id, terms, NOW);
    await suspendUser(bindings, "nobody").catch(() => undefined);
    expect(guards).toEqual([user.id]);
    await pushChangedAccounts(bindings, NOW + 6_000_000, 1_000);
    expect(guards).toEqual([user.id]);
  });
});
