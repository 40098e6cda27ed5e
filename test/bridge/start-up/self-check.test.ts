// The bridge reports a missing hook into Baileys or libsignal, and does not start. `self-check.endurance.test.ts` removes every hook.
import { once } from "node:events";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bridgeSettings, spawnBridge } from "../../support/bridge/bridge-process.ts";
import { openWorld, type World } from "../durability/world.ts";
import { REMOVED_HOOKS } from "./removed-hooks.ts";

let world: World;

beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

it.each(["Curve.verify", "sock.ws.emit frame"])("the self-check refuses a Baileys without %s", async (hook) => {
  const beforehand = new Map(REMOVED_HOOKS).get(hook);
  const bridge = spawnBridge({ ...bridgeSettings(world.gateway.url, world), BRIDGE_LOG_LEVEL: "error" }, beforehand);
  await once(bridge.child, "close");
  expect(bridge.output()).toContain(hook);
  expect(bridge.child.exitCode).toBe(1);
});
