// An account change reaches the objects of all its connections, regardless of their number.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import type { Env } from "#root/src/env.ts";
import type { ConnectionRecord } from "@gateway/protocol/connection.ts";
import { activateUser, suspendUser } from "#root/src/services/users/suspend.ts";
import { someone } from "../support/people.ts";
import { ringAlarm } from "../support/eviction.ts";

const bindings = env as unknown as Env;
afterEach(() => {
  vi.useRealTimers();
});

type Pushed = { uuid: string; suspended: boolean };

/** An account with this many connections, whose objects record pushes; those in `broken` are unreachable. */
async function accountWith(count: number) {
  const { user } = await someone(count);
  const uuids = Array.from({ length: count }, () => crypto.randomUUID());
  const insert = env.DB.prepare(
    `INSERT INTO connection (uuid, owner_id, name, kind, metadata, settings, created_at, updated_at)
     SELECT value, ?, 'A', 'session', '{}', '{}', 0, 0 FROM json_each(?)`,
  );
  await insert.bind(user.id, JSON.stringify(uuids)).run();
  const told: Pushed[] = [];
  let asked = 0;
  let slow = Promise.resolve();
  const later = Promise.withResolvers<void>();
  const broken = new Set<string>();
  const guard = env.ACCOUNT_GUARD.getByName(user.id);
  await runInDurableObject(guard, (object) => {
    const held = object as unknown as { env: Env };
    held.env = {
      ...held.env,
      CONNECTION: {
        getByName: (uuid: string) => ({
          configure: async ({ owner_suspended: suspended }: ConnectionRecord) => {
            if (broken.has(uuid)) throw new Error("away");
            asked += 1;
            if (suspended) await slow;
            told.push({ uuid, suspended });
          },
        }),
      } as unknown as Env["CONNECTION"],
    };
  });
  /** From now on, objects delay processing a suspension until `release` is called. */
  const hold = () => {
    slow = later.promise;
  };
  return { id: user.id, uuids, told, broken, guard, hold, release: later.resolve, asked: () => asked };
}

it("an account change reaches every object of a large account before the response, each once", async () => {
  const { id, uuids, told } = await accountWith(1_000);
  expect((await suspendUser(bindings, id)).ok).toBe(true);
  expect(told.map(({ uuid }) => uuid).toSorted()).toEqual(uuids.toSorted());
  expect(told.every(({ suspended }) => suspended)).toBe(true);
});

it("an account change reaches every other object if one fails, and reaches the failed one later", async () => {
  const { id, uuids, told, broken, guard } = await accountWith(45);
  const [first = ""] = uuids;
  broken.add(first);
  expect((await suspendUser(bindings, id)).ok).toBe(true);
  expect(told.map(({ uuid }) => uuid)).toEqual(uuids.slice(1));
  await ringAlarm(guard);
  expect(told).toHaveLength(44);
  broken.clear();
  vi.useFakeTimers({ now: Date.now() + 11_000, toFake: ["Date"] });
  await ringAlarm(guard);
  await vi.waitFor(() => expect(told.at(-1)).toEqual({ uuid: first, suspended: true }), { timeout: 60_000 });
  expect(told).toHaveLength(45);
});

it("an account change never replaces a newer state by an older one, however slow the objects are", async () => {
  const { id, uuids, told, hold, release, asked } = await accountWith(60);
  hold();
  const suspending = suspendUser(bindings, id);
  await vi.waitFor(() => expect(asked()).toBeGreaterThan(0), { timeout: 60_000 });
  const activating = activateUser(bindings, id, Date.now());
  // Gives the newer state time to overtake the older one, if that were possible.
  await Promise.race([activating, scheduler.wait(500)]);
  release();
  await Promise.all([suspending, activating]);
  const last = new Map(told.map(({ uuid, suspended }) => [uuid, suspended]));
  expect([...last.keys()].toSorted()).toEqual(uuids.toSorted());
  expect([...last.values()].filter(Boolean)).toEqual([]);
});
