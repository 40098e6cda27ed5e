// A contact who moves to a LID during a conversation.
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { must } from "../phones/world.ts";
import { inAnyOrder, openWorld, receivedTexts, sendText, shownTexts, type World } from "./world.ts";

const TIMEOUT_MS = 60_000;
const NUMBERS = Array.from({ length: 30 }, (_, n) => n);

let world: World;

beforeAll(async () => {
  world = await openWorld();
  await world.startBridge();
});
afterAll(() => world.close());

it("a move from phone number to LID while both write loses, duplicates and splits nothing", async () => {
  const { connection, phone } = await world.link();
  const friend = await world.newPhone();
  const { network } = world;
  const chat = `${friend.pn}@c.us`;
  const lidJid = network.directory.account(friend.pn)?.lidJid ?? "";
  const to: (string | undefined)[] = [];
  const onSend = network.faults.onSend.bind(network.faults);
  network.faults.onSend = (device, message) => {
    if (device.id !== 0) to.push(message.attrs["to"]);
    if (to.length === NUMBERS.length / 3) {
      network.nameByPhoneOnly(friend.pn, false);
      network.reachByLidOnly(friend.pn, true);
    }
    return onSend(device, message);
  };
  network.nameByPhoneOnly(friend.pn, true);
  must(await friend.sendText(phone.pn, "first"));
  await eventually("the first", TIMEOUT_MS, () => receivedTexts(connection).includes("first"));

  const ours = async () => {
    for (const n of NUMBERS) {
      const id = await sendText(connection, friend, `ours ${n}`);
      await eventually("its outcome", TIMEOUT_MS, () => connection.of("send.settled").some(({ message_id }) => message_id === id));
    }
  };
  const theirs = async () => {
    for (const n of NUMBERS) must(await friend.sendText(phone.pn, `theirs ${n}`));
  };
  await Promise.all([ours(), theirs()]);
  await eventually("ours at the friend", TIMEOUT_MS, () => shownTexts(friend).length >= NUMBERS.length);
  await eventually("theirs here", TIMEOUT_MS, () => receivedTexts(connection).length > NUMBERS.length);
  const onOwnPhone = () => phone.inbox().filter(({ chat_id }) => chat_id === chat || chat_id === lidJid);
  await eventually("all on the own phone", TIMEOUT_MS, () => onOwnPhone().length > 2 * NUMBERS.length);

  expect(connection.of("send.settled").map(({ outcome }) => outcome.kind)).toEqual(NUMBERS.map(() => "acknowledged"));
  expect(inAnyOrder(shownTexts(friend))).toEqual(inAnyOrder(NUMBERS.map((n) => `ours ${n}`)));
  expect(inAnyOrder(receivedTexts(connection))).toEqual(inAnyOrder(["first", ...NUMBERS.map((n) => `theirs ${n}`)]));
  expect([to.at(0), to.at(-1)]).toEqual([`${friend.pn}@s.whatsapp.net`, lidJid]);
  expect(new Set(onOwnPhone().map(({ chat_id }) => chat_id))).toEqual(new Set([chat]));
  expect(new Set(connection.of("message.upsert").map(({ message }) => message.chat_id))).toEqual(new Set([chat]));
  expect(friend.troubles).toEqual([]);
});
