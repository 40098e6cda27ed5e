// How a change of proxies reaches the objects of all the connections on them, however many there are and whatever fails meanwhile.
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { Env } from "../../../src/env.ts";
import type { ConnectionRecord } from "../../../src/protocol/connection.ts";
import { assignProxy } from "../../../src/services/proxies/assign.ts";
import { changeProxy } from "../../../src/services/proxies/change.ts";
import { createProxy } from "../../../src/services/proxies/create.ts";
import { removeProxy } from "../../../src/services/proxies/remove.ts";
import { runWatchdog } from "../../../src/services/watchdog/watch.ts";
import { someone } from "../support/people.ts";
import { healthy, hostName } from "./world.ts";

type Pushed = { uuid: string; proxy: string | null };

/** Objects that note what they are told; those in `broken` cannot be reached. `meanwhile`: called when the next one is told, once. */
function scripted() {
  const told: Pushed[] = [];
  const broken = new Set<string>();
  const world = { tries: 0, meanwhile: async (): Promise<void> => undefined };
  const bindings = {
    ...env,
    CONNECTION: {
      getByName: (uuid: string) => ({
        poke: async () => undefined,
        configure: async ({ proxy_url: proxy }: ConnectionRecord) => {
          world.tries += 1;
          const { meanwhile } = world;
          world.meanwhile = async () => undefined;
          await meanwhile();
          if (broken.has(uuid)) throw new Error("away");
          told.push({ uuid, proxy });
        },
      }),
    },
    BRIDGE_POOL: { getByName: () => ({ keepBridges: async () => undefined }) },
  } as unknown as Env;
  return { bindings, told, broken, world, minute: () => runWatchdog(bindings, Date.now()) };
}

async function proxyOf(env: Env) {
  const place = { protocol: "http", host: hostName(), port: 3128, username: null, password: null } as const;
  return createProxy(env, { label: "p", ...place, country: null, maxInstances: 1_000, isActive: true }, Date.now());
}

/** UUIDs of so many connections on this proxy. */
async function connectionsOn(proxyId: string | null, count: number): Promise<string[]> {
  const { user } = await someone(count);
  const uuids = Array.from({ length: count }, () => crypto.randomUUID());
  await env.DB.prepare(
    `INSERT INTO connection (uuid, owner_id, name, kind, metadata, settings, proxy_id, created_at, updated_at)
     SELECT value, ?, 'A', 'session', '{}', '{}', ?, 0, 0 FROM json_each(?)`,
  )
    .bind(user.id, proxyId, JSON.stringify(uuids))
    .run();
  return uuids;
}

it("pages through the connections of a large proxy: 400 before the answer, 200 a minute from then on, each one once", async () => {
  const { bindings, told, minute } = scripted();
  const row = await proxyOf(bindings);
  const uuids = await connectionsOn(row.id, 1_000);
  expect(await changeProxy(bindings, row, { port: 3129 })).toMatchObject({ ok: true });
  const after = [told.length];
  for (let minutes = 0; minutes < 4; minutes += 1) {
    await minute();
    after.push(told.length);
  }
  expect(after).toEqual([400, 600, 800, 1_000, 1_000]);
  expect(told.map(({ uuid }) => uuid).toSorted()).toEqual(uuids.toSorted());
  expect(new Set(told.map(({ proxy }) => proxy))).toEqual(new Set([`http://${row.host}:3129`]));
});

it("brings connections of a removed proxy to the next one, although no object could be reached then", async () => {
  const { bindings, told, broken, minute } = scripted();
  const [from, to] = [await proxyOf(bindings), await proxyOf(bindings)];
  await healthy(to.id);
  const uuids = await connectionsOn(from.id, 3);
  for (const uuid of uuids) broken.add(uuid);
  expect(await removeProxy(bindings, from, true, Date.now())).toMatchObject({
    ok: true,
    value: uuids.map((uuid) => ({ uuid, to: to.id })),
  });
  expect(await removeProxy(bindings, from, true, Date.now())).toMatchObject({ ok: false, failure: { code: "proxy_not_found" } });
  await minute();
  expect(told).toEqual([]);
  broken.clear();
  await minute();
  expect(told).toEqual(uuids.map((uuid) => ({ uuid, proxy: `http://${to.host}:3128` })));
});

it("pushes what an earlier change has left when it is made again, and forgets the health of the old address in any case", async () => {
  const { bindings, told, broken, world } = scripted();
  const row = await proxyOf(bindings);
  await healthy(row.id);
  const [uuid = ""] = await connectionsOn(row.id, 1);
  broken.add(uuid);
  const moved = await changeProxy(bindings, row, { port: 3129 });
  expect(await env.DB.prepare("SELECT 1 FROM proxy_health WHERE proxy_id = ?").bind(row.id).first()).toBeNull();
  broken.clear();
  expect(await changeProxy(bindings, moved.ok ? moved.value : row, { port: 3129 })).toMatchObject({ ok: true });
  expect(told).toEqual([{ uuid, proxy: `http://${row.host}:3129` }]);
  await changeProxy(bindings, moved.ok ? moved.value : row, { port: 3129 });
  expect(world.tries).toBe(2);
});

it("lets objects that cannot be reached keep no other waiting", async () => {
  const { bindings, told, broken, minute } = scripted();
  const { id, host } = await proxyOf(bindings);
  const away = await connectionsOn(null, 450);
  for (const uuid of away) broken.add(uuid);
  const [last = ""] = await connectionsOn(null, 1);
  expect(await assignProxy(bindings, id, [...away, last], Date.now())).toMatchObject({ ok: true });
  expect(told).toEqual([]);
  await minute();
  expect(told).toEqual([{ uuid: last, proxy: `http://${host}:3128` }]);
  broken.clear();
  for (let minutes = 0; minutes < 3; minutes += 1) await minute();
  expect(told.map(({ uuid }) => uuid).toSorted()).toEqual([...away, last].toSorted());
});

it("keeps a change pending that was made while an earlier one was being pushed", async () => {
  const { bindings, told, world, minute } = scripted();
  const row = await proxyOf(bindings);
  const [uuid = ""] = await connectionsOn(row.id, 1);
  const cut = scripted();
  cut.broken.add(uuid);
  world.meanwhile = async () => void (await changeProxy(cut.bindings, row, { port: 3130 }));
  await changeProxy(bindings, row, { port: 3129 });
  await minute();
  await minute();
  expect(told).toEqual([3129, 3130].map((port) => ({ uuid, proxy: `http://${row.host}:${port}` })));
});
