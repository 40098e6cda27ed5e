// A bridge whose credential the gateway always refuses.
import { once } from "node:events";
import { expect, it } from "vitest";
import { bridgeSettings, spawnBridge } from "../../support/bridge/bridge-process.ts";
import { openWorld } from "../durability/world.ts";

it("a bridge ends if its credential is refused for good, to be started with another", async () => {
  const world = await openWorld();
  world.gateway.refusing = true;
  const bridge = spawnBridge(bridgeSettings(world.gateway.url, world));
  await once(bridge.child, "close");
  expect(bridge.child.exitCode).toBe(3);
  expect(bridge.output()).toContain("pool.credential_dead");
  await world.close();
});
