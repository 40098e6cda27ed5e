// A known library trap: Baileys fetches prekeys anew whenever it looks a person's devices up, and throws the session away with it.
import { afterAll, beforeAll, expect, it } from "vitest";
import { createGroup } from "../../../test-network/phone/groups.ts";
import { eventually } from "../../support/eventually.ts";
import { must } from "../phones/world.ts";
import { openWorld, receivedTexts, sendText, sendTextToChat, shownTexts, type World } from "../durability/world.ts";

const PATIENCE_MS = 40_000;
const SENDS = 100;

let world: World;

beforeAll(async () => {
  world = await openWorld();
  await world.startBridge();
});
afterAll(() => world.close());

it("fetches one prekey bundle and hands over one token for a first contact and a hundred sends", async () => {
  const { connection, phone } = await world.link();
  const friend = await world.newPhone();
  const bundles = (): number => world.network.stats.bundles[phone.pn] ?? 0;
  await eventually("the phone to have fetched its own", PATIENCE_MS, () => bundles() === 1);
  const lookups = (): number =>
    Object.entries(world.network.stats.queries).reduce((sum, [name, times]) => (name.includes("usync") ? sum + times : sum), 0);
  const tokens = (): number => world.network.stats.queries["privacy/set/tokens"] ?? 0;
  const [before, lookedUp, handedOver] = [bundles(), lookups(), tokens()];

  for (let at = 0; at < SENDS / 2; at += 1) await sendText(connection, friend, `early ${at}`);
  await eventually("half at the friend", PATIENCE_MS, () => shownTexts(friend).length === SENDS / 2);
  // An answer comes from the LID's side; a line that breaks must not forget whom we know.
  await friend.sendText(`${phone.pn}@c.us`, "answer");
  await eventually("the answer", PATIENCE_MS, () => receivedTexts(connection).includes("answer"));
  world.network.faults.add({ phone: phone.pn, kind: "drop_socket" });
  await eventually("the session to be open again", PATIENCE_MS, () => connection.of("session.open").length === 2);
  for (let at = 0; at < SENDS / 2; at += 1) await sendText(connection, friend, `late ${at}`);
  await eventually("all at the friend", PATIENCE_MS, () => shownTexts(friend).length === SENDS);

  expect(bundles() - before).toBe(1);
  expect(tokens() - handedOver).toBe(1);
  expect(lookups() - lookedUp).toBeLessThanOrEqual(3);
  expect(friend.troubles).toEqual([]);
});

it("takes a contact by phone and by LID for one person", async () => {
  const { connection, phone } = await world.link();
  const friend = await world.newPhone();
  const bundles = (): number => world.network.stats.bundles[phone.pn] ?? 0;
  await eventually("the phone to have fetched its own", PATIENCE_MS, () => bundles() === 1);
  const before = bundles();
  await sendText(connection, friend, "by phone");
  await eventually("the message at the friend", PATIENCE_MS, () => shownTexts(friend).includes("by phone"));
  const { lid } = friend.deps;
  await sendTextToChat(connection, lid.replace(/[:.].*@/, "@"), "by lid");
  await eventually("the second message at the friend", PATIENCE_MS, () => shownTexts(friend).includes("by lid"));
  expect(bundles() - before).toBe(1);
});

it("reaches everybody in a group but the member whose keys are not there", async () => {
  const { connection, phone } = await world.link();
  const [friend, lost] = [await world.newPhone(), await world.newPhone()];
  world.network.directory.account(lost.pn)!.devices.get(0)!.keys = undefined;
  const { group_id } = must(await friend.act((parts) => createGroup(parts, "Team", [phone.pn, lost.pn])));
  await sendTextToChat(connection, group_id, "to all who can read");
  await eventually("the message at the friend", PATIENCE_MS, () => shownTexts(friend).includes("to all who can read"));
  expect(await connection.saw("send.settled")).toMatchObject({ outcome: { kind: "acknowledged" } });
});
