// Undecryptable messages (docs/internals/incoming-messages.md, "Messages that cannot be decrypted"): none is lost silently.
import { afterAll, beforeAll, expect, it } from "vitest";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import type { BridgeProcess } from "../../support/bridge/bridge-process.ts";
import type { FakeConnection } from "../../support/bridge/fake-gateway.ts";
import { fasterTimersOf } from "../../support/bridge/faster-timers.ts";
import { eventually } from "../../support/eventually.ts";
import { chatOf, must } from "../phones/world.ts";
import { openWorld, receivedTexts, type World } from "./world.ts";

const TIMEOUT_MS = 60_000;

let world: World;
let bridge: BridgeProcess;

beforeAll(async () => {
  world = await openWorld();
  bridge = await world.startBridge();
});
afterAll(() => world.close());

const told = (connection: FakeConnection, id: string) =>
  connection.of("message.upsert").flatMap(({ message }) => (message.message_id === id ? [[message.type, message.text]] : []));
const unreadable = (id: string) => bridge.output().includes(`"messageId":"${id}","event":"message.unreadable"`);

/** The friend's second message reuses the first one's counter; the friend goes offline before a retry can be requested. */
async function loseSecond(connection: FakeConnection, phone: SimulatedPhone, friend: SimulatedPhone): Promise<string> {
  must(await friend.sendText(chatOf(phone), "first", { counterForgotten: true }));
  await eventually("the first message", TIMEOUT_MS, () => receivedTexts(connection).includes("first"));
  world.network.faults.add({ phone: phone.pn, kind: "hold" });
  const { message_id } = must(await friend.sendText(chatOf(phone), "second"));
  await friend.change({ online: false });
  world.network.faults.add({ phone: phone.pn, kind: "release" });
  await eventually("the second to be seen", TIMEOUT_MS, () => unreadable(message_id));
  return message_id;
}

it("a message with an already used counter is requested again and reported", async () => {
  const { connection, phone } = await world.link();
  const friend = await world.newPhone();
  const id = await loseSecond(connection, phone, friend);
  await friend.change({ online: true });
  await eventually("the second message", TIMEOUT_MS, () => told(connection, id).length > 0);
  expect(told(connection, id)).toEqual([["text", "second"]]);
});

it("a message that is not sent again gets a stand-in even if the bridge is killed meanwhile, and later replaces it", async () => {
  const { connection, phone } = await world.link();
  const friend = await world.newPhone();
  const id = await loseSecond(connection, phone, friend);
  await eventually("the stand-in to be stored", TIMEOUT_MS, () => connection.rowsOf("unread").length === 1);
  await bridge.kill();
  bridge = await world.startBridge(fasterTimersOf("undecryptable-messages.ts", 30));
  world.gateway.place(connection);
  await eventually("the stand-in", TIMEOUT_MS, () => told(connection, id).length > 0);
  expect(told(connection, id)).toEqual([["undecrypted", null]]);
  await eventually("nothing to be waited for", TIMEOUT_MS, () => connection.rowsOf("unread").length === 0);
  await friend.change({ online: true });
  await eventually("the message", TIMEOUT_MS, () => told(connection, id).length > 1);
  expect(told(connection, id)).toEqual([
    ["undecrypted", null],
    ["text", "second"],
  ]);
});

it("an edit of a message sent on the phone is reported, though the secret is stored beside the message", async () => {
  const { connection, phone } = await world.link();
  const friend = await world.newPhone();
  const { message_id } = must(await phone.sendText(chatOf(friend), "a tipo", { contextBeside: true }));
  await eventually("the copy", TIMEOUT_MS, () => told(connection, message_id).length > 0);
  must(await phone.edit(chatOf(friend), message_id, "a typo"));
  const edit = await connection.saw("message.edited", (event) => event.message_id === message_id);
  expect(edit.text).toBe("a typo");
});
