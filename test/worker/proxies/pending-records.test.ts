// A proxy change reaches the objects of its connections despite failures.
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { changeProxy, removeProxy } from "#root/src/services/proxies/change.ts";
import { connectionsOn, proxyOf, scripted } from "./scripted-objects.ts";
import { healthy } from "./world.ts";

it("connections of a removed proxy get the next one, although no object could be reached then", async () => {
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

it("a repeated change pushes what the first has left, and any change forgets the old address's health", async () => {
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

it("a change stays pending that was made while an earlier one was being pushed", async () => {
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

it("a change that began before another one moved the proxy brings back the address that it writes", async () => {
  const { bindings, told } = scripted();
  const row = await proxyOf(bindings);
  const [uuid = ""] = await connectionsOn(row.id, 1);
  for (const port of [3129, row.port]) expect(await changeProxy(bindings, row, { port })).toMatchObject({ ok: true });
  expect(told).toEqual([3129, 3128].map((port) => ({ uuid, proxy: `http://${row.host}:${port}` })));
});
