// The bridge reports each missing hook into Baileys and libsignal, and does not start.
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bridgeSettings, spawnBridge } from "../../support/bridge/bridge-process.ts";
import { openWorld, type World } from "../durability/world.ts";
import { REMOVED_HOOKS } from "./removed-hooks.ts";

const TIMEOUT_MS = 120_000;

let world: World;

beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

describe.concurrent("a Baileys without a hook is refused", () => {
  it.each(REMOVED_HOOKS)("%s", { timeout: TIMEOUT_MS }, async (hook, beforehand) => {
    const bridge = spawnBridge({ ...bridgeSettings(world.gateway.url, world), BRIDGE_LOG_LEVEL: "error" }, beforehand);
    await once(bridge.child, "close");
    const lines = bridge.output().trim().split("\n");
    expect(lines).toHaveLength(1);
    const missing = (lines[0] ?? "").split(": ").slice(2).join(": ").split("; ");
    expect(missing.filter((name) => name === hook || name.startsWith(`${hook} (`))).toHaveLength(1);
    expect(bridge.child.exitCode).toBe(1);
  });
});
