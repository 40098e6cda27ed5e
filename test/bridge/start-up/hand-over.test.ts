// SIGTERM with time to spare: sessions continue until the pool has moved them (docs/operate/bridges.md, "Moving and draining bridges").
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { openWorld, receivedTexts, sendText, shownTexts, type World } from "../durability/world.ts";

const TIMEOUT_MS = 60_000;
const LONG = { BRIDGE_DRAIN_SECONDS: "600" };

let world: World;

beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** A bridge that has one session and was told to exit. `announced`: the messages that tell the pool so. */
async function signalled(settings: Record<string, string>) {
  const bridge = await world.startBridge(undefined, settings);
  const { connection, phone } = await world.link();
  const { length } = world.gateway.controlFrames;
  const announced = () => world.gateway.controlFrames.slice(length).flatMap((frame) => (frame.type === "draining" ? [frame] : []));
  bridge.child.kill("SIGTERM");
  await eventually("its word to the pool", TIMEOUT_MS, () => announced().length > 0);
  return { bridge, connection, phone, announced, exit: once(bridge.child, "exit").then(([code]) => code as number) };
}

describe("a bridge with BRIDGE_DRAIN_SECONDS, on SIGTERM,", () => {
  it("goes on with its sessions until the pool has moved them all", async () => {
    const { bridge, connection, phone, announced, exit } = await signalled(LONG);
    const [{ grace_ms: graceMs = 0 } = {}] = announced();
    expect(graceMs).toBeGreaterThan(500_000);
    expect(graceMs).toBeLessThanOrEqual(600_000);
    const friend = await world.newPhone();
    await sendText(connection, friend, "still here");
    await friend.sendText(`${phone.pn}@c.us`, "so am I");
    await eventually("both texts", TIMEOUT_MS, () => shownTexts(friend).length === 1 && receivedTexts(connection).length === 1);
    expect(bridge.child.exitCode).toBeNull();

    connection.stop(false);
    await eventually("the session to have left", TIMEOUT_MS, () => connection.socket === null);
    world.gateway.drain();
    expect(await exit).toBe(0);
    expect(announced().at(-1)).toEqual({ type: "draining" });
  });

  it("announces its drain again to a pool that it reaches only later", async () => {
    const { announced, exit, connection } = await signalled(LONG);
    world.gateway.dropBridges();
    await eventually("its word to come again", TIMEOUT_MS, () => announced().length > 1);
    expect(announced()[1]?.grace_ms).toBeLessThanOrEqual(announced()[0]?.grace_ms ?? 0);
    connection.stop(false);
    world.gateway.drain();
    expect(await exit).toBe(0);
  });

  it("exits when the time is over, with its remaining sessions", async () => {
    const { connection, phone, announced, exit } = await signalled({ BRIDGE_DRAIN_SECONDS: "1" });
    expect(await exit).toBe(0);
    expect(announced().map(({ grace_ms: ms = 0 }) => ms > 0)).toEqual([true, false]);
    // The process ends before the gateway has read its close frame.
    await eventually("the session's socket to be closed", TIMEOUT_MS, () => connection.socket === null);
    expect(world.network.directory.account(phone.pn)?.devices.size).toBe(2);
  });

  it("ends at once on a second SIGTERM, and without sessions on the first", async () => {
    const { bridge, exit } = await signalled(LONG);
    bridge.child.kill("SIGTERM");
    expect(await exit).toBe(0);
    const idle = await world.startBridge(undefined, LONG);
    expect(await idle.terminate()).toBe(0);
  });
});
