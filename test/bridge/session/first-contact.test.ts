// A library defect: Baileys fetches pre-keys again at each device look-up, and drops the existing session.
import { afterAll, beforeAll, expect, it } from "vitest";
import { createGroup } from "#root/test-network/phone/groups.ts";
import { eventually } from "../../support/eventually.ts";
import { must } from "../phones/world.ts";
import { openWorld, receivedTexts, sendText, sendTextToChat, shownTexts, type World } from "../durability/world.ts";

const TIMEOUT_MS = 60_000;
const SENDS = 100;

let world: World;

beforeAll(async () => {
  world = await openWorld();
  await world.startBridge();
});
afterAll(() => world.close());

it("a first contact and a hundred sends fetch one pre-key bundle and send one privacy token", async () => {
  const { connection, phone } = await world.link();
  const friend = await world.newPhone();
  const bundles = (): number => world.network.stats.bundles[phone.pn] ?? 0;
  await eventually("the phone to have fetched its own", TIMEOUT_MS, () => bundles() === 1);
  const lookups = (): number =>
    Object.entries(world.network.stats.queries).reduce((sum, [name, times]) => (name.includes("usync") ? sum + times : sum), 0);
  const tokens = (): number => world.network.stats.queries["privacy/set/tokens"] ?? 0;
  const [before, lookedUp, handedOver] = [bundles(), lookups(), tokens()];

  for (let at = 0; at < SENDS / 2; at += 1) await sendText(connection, friend, `early ${at}`);
  await eventually("half at the friend", TIMEOUT_MS, () => shownTexts(friend).length === SENDS / 2);
  // The reply comes from the LID; a reconnect must not lose the mapping.
  await friend.sendText(`${phone.pn}@c.us`, "answer");
  await eventually("the answer", TIMEOUT_MS, () => receivedTexts(connection).includes("answer"));
  world.network.faults.add({ phone: phone.pn, kind: "drop_socket" });
  await eventually("the session to be open again", TIMEOUT_MS, () => connection.of("session.open").length === 2);
  for (let at = 0; at < SENDS / 2; at += 1) await sendText(connection, friend, `late ${at}`);
  await eventually("all at the friend", TIMEOUT_MS, () => shownTexts(friend).length === SENDS);

  expect(bundles() - before).toBe(1);
  expect(tokens() - handedOver).toBe(1);
  expect(lookups() - lookedUp).toBeLessThanOrEqual(3);
  expect(friend.troubles).toEqual([]);
});

it("a contact addressed by phone and by LID is treated as one person", async () => {
  const { connection, phone } = await world.link();
  const friend = await world.newPhone();
  const bundles = (): number => world.network.stats.bundles[phone.pn] ?? 0;
  await eventually("the phone to have fetched its own", TIMEOUT_MS, () => bundles() === 1);
  const before = bundles();
  await sendText(connection, friend, "by phone");
  await eventually("the message at the friend", TIMEOUT_MS, () => shownTexts(friend).includes("by phone"));
  const { lid } = friend.deps;
  await sendTextToChat(connection, lid.replace(/[:.].*@/, "@"), "by lid");
  await eventually("the second message at the friend", TIMEOUT_MS, () => shownTexts(friend).includes("by lid"));
  expect(bundles() - before).toBe(1);
});

it("a group message reaches everyone but the member without pre-keys", async () => {
  const { connection, phone } = await world.link();
  const [friend, lost] = [await world.newPhone(), await world.newPhone()];
  world.network.directory.account(lost.pn)!.devices.get(0)!.keys = undefined;
  const { group_id } = must(await friend.act((parts) => createGroup(parts, "Team", [phone.pn, lost.pn])));
  await sendTextToChat(connection, group_id, "to all who can read");
  await eventually("the message at the friend", TIMEOUT_MS, () => shownTexts(friend).includes("to all who can read"));
  expect(await connection.saw("send.settled")).toMatchObject({ outcome: { kind: "acknowledged" } });
});
