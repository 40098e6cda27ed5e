// A group of the maximum size on a slow network.
import { randomInt } from "node:crypto";
import { Curve, generateSignalPubKey } from "baileys";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createGroup } from "#root/test-network/phone/groups.ts";
import type { FakeConnection } from "../../support/bridge/fake-gateway.ts";
import { eventually } from "../../support/eventually.ts";
import { must } from "../phones/world.ts";
import { openWorld, sendText, sendTextToChat, type World } from "./world.ts";
import { expectAtMost } from "../../support/promised-times.ts";

/** Timeout of each send and of the whole test; generous, because the machine may be busy. */
const TIMEOUT_MS = 120_000;
const TEST_TIMEOUT_MS = 300_000;
const MEMBERS = 1_024;
const DELAY_MS = 150;

let world: World;

beforeEach(async () => {
  world = await openWorld();
  await world.startBridge();
});
afterEach(() => world.close());

/** Members with two devices each, who receive but never read. All share the same keys, because sessions are stored by address. */
function newMembers(count: number): string[] {
  const [identity, signed, preKey] = [Curve.generateKeyPair(), Curve.generateKeyPair(), Curve.generateKeyPair()];
  const skey = { id: 1, value: signed.public, signature: Curve.sign(identity.private, generateSignalPubKey(signed.public)) };
  return Array.from({ length: count }, (_, index) => {
    const pn = `5521${String(900_000_000 + index)}`;
    const account = world.network.directory.createAccount(pn);
    for (const id of [0, 1]) {
      const keys = { registrationId: randomInt(1, 16_000), identityKey: identity.public, skey };
      const device = world.network.addDevice(account, id, { platform: "phone", keys });
      device.preKeys.set(1, preKey.public);
    }
    return pn;
  });
}

const settled = (connection: FakeConnection, id: string) =>
  eventually(`an answer to ${id}`, TIMEOUT_MS, () => connection.of("send.settled").find(({ message_id }) => message_id === id));

it(
  `a message to a group of ${MEMBERS} with two devices each is acknowledged and delays no other send`,
  { timeout: TEST_TIMEOUT_MS },
  async () => {
    const { connection, phone } = await world.link();
    const [friend, stranger] = [await world.newPhone(), await world.newPhone()];
    await settled(connection, await sendText(connection, friend, "first"));
    const { group_id: group } = must(await phone.act((deps) => createGroup(deps, "Everybody", newMembers(MEMBERS - 1))));
    world.network.faults.add({ phone: phone.pn, kind: "delay", ms: DELAY_MS });

    const alone = performance.now();
    await settled(connection, await sendText(connection, friend, "alone"));
    const aloneMs = performance.now() - alone;

    const began = performance.now();
    const message = await sendTextToChat(connection, group, "to all", TIMEOUT_MS);
    let worst = 0;
    let sends = 0;
    const progress = { isDone: false };
    const others = (async () => {
      while (!progress.isDone) {
        const at = performance.now();
        await settled(connection, await sendText(connection, sends === 0 ? stranger : friend, `meanwhile ${sends}`));
        worst = Math.max(worst, performance.now() - at);
        sends += 1;
      }
    })();
    // Awaited together, because an unhandled rejection would fail the whole run.
    const [{ outcome, tookMs }] = await Promise.all([
      settled(connection, message).then(({ outcome: settledAs }) => {
        progress.isDone = true;
        return { outcome: settledAs, tookMs: performance.now() - began };
      }),
      others,
    ]);
    const again = performance.now();
    const second = await settled(connection, await sendTextToChat(connection, group, "again", TIMEOUT_MS));
    const againMs = performance.now() - again;
    const shown = [tookMs, aloneMs, worst, againMs].map((ms) => `${(ms / 1000).toFixed(1)} s`);
    console.info(
      `large group: acknowledged after ${shown[0]}, again ${shown[3]}; another send: alone ${shown[1]}, meanwhile ${shown[2]} at worst of ${sends}`,
    );
    expect(outcome.kind).toBe("acknowledged");
    expect(second.outcome.kind).toBe("acknowledged");
    // If the library's lock applied, this send would wait for the entire group send.
    expectAtMost("another send beside one to a large group", worst, aloneMs + tookMs / 2);
  },
);
