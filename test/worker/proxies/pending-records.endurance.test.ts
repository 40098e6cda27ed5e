// A proxy change that affects hundreds of connections.
import { expect, it } from "vitest";
import { assignProxy, changeProxy } from "#root/src/services/proxies/change.ts";
import { connectionsOn, proxyOf, scripted } from "./scripted-objects.ts";

it("a proxy change reaches 400 connections before the response, then 200 a minute, each one once", async () => {
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

it("a proxy change does not wait for objects that cannot be reached", async () => {
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
