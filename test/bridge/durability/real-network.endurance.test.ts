// Thousands of offline messages for a session on the real network (test-network/README.md, "Strict and lenient").
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import { createGroup } from "#root/test-network/phone/groups.ts";
import type { BridgeProcess } from "../../support/bridge/bridge-process.ts";
import { eventually } from "../../support/eventually.ts";
import { must } from "../phones/world.ts";
import { openWorld, receivedTexts, type World } from "./world.ts";

const TIMEOUT_MS = 60_000;
/** Two thousand messages take 20 s of CPU time. */
const MANY_TIMEOUT_MS = 300_000;
const TEST_TIMEOUT_MS = 900_000;

let world: World;
let bridge: BridgeProcess;
let friend: SimulatedPhone;

beforeAll(async () => {
  world = await openWorld({ strict: true });
  bridge = await world.startBridge();
  friend = await world.newPhone("Friend");
});
afterAll(() => world.close());

const waiting = ({ pn }: SimulatedPhone): string[] =>
  [...(world.network.directory.device(`${pn}:1@s.whatsapp.net`)?.queue.entries() ?? [])].map(({ stanza }) => stanza.tag);
const emptied = (phone: SimulatedPhone) => eventually("an empty queue", TIMEOUT_MS, () => waiting(phone).length === 0);
const drop = ({ pn }: SimulatedPhone) => world.network.faults.add({ phone: pn, kind: "drop_socket" });

describe("traffic that waited while a session was away", () => {
  it("arrives for a number that ignores groups, however many messages it ignores", async () => {
    const { connection, phone } = await world.link({ ignore_groups: true });
    const { group_id: group } = must(await friend.act((deps) => createGroup(deps, "Busy", [phone.pn])));
    await emptied(phone);
    const device = world.network.directory.device(`${phone.pn}:1@s.whatsapp.net`)!;
    world.network.access.refuseUpgrades({ status: 503, times: 2 });
    drop(phone);
    for (let n = 0; n < 1_000; n += 1) {
      const attrs = { from: group, participant: friend.deps.lid, id: `NOISE${n}`, type: "text", t: String(Math.floor(Date.now() / 1000)) };
      const content = [{ tag: "enc", attrs: { v: "2", type: "skmsg" }, content: Buffer.from("noise") }];
      world.network.delivery.enqueue(device, { tag: "message", attrs, content });
    }
    must(await friend.sendText(`${phone.pn}@c.us`, "the direct one"));
    await eventually("the direct one", TIMEOUT_MS, () => receivedTexts(connection).includes("the direct one"));
    await emptied(phone);
    expect(receivedTexts(connection)).toEqual(["the direct one"]);
  });

  it("arrives completely and in order: two thousand messages, with a reconnect in the middle", { timeout: TEST_TIMEOUT_MS }, async () => {
    const { connection, phone } = await world.link();
    await emptied(phone);
    await bridge.kill();
    const texts = Array.from({ length: 2_000 }, (_, n) => `missed ${n}`);
    for (const text of texts) must(await friend.sendText(`${phone.pn}@c.us`, text));
    bridge = await world.startBridge();
    world.gateway.place(connection);
    await eventually("some of it", MANY_TIMEOUT_MS, () => receivedTexts(connection).length > 500);
    drop(phone);
    await eventually("all of it", MANY_TIMEOUT_MS, () => new Set(receivedTexts(connection)).size === texts.length);
    // Retries use the same key, so that the gateway recognizes them.
    expect([...new Set(receivedTexts(connection))]).toEqual(texts);
    await emptied(phone);
  });
});
