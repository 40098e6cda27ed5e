// Hidden read receipts: for numbers that disable them, and for devices whose user is away.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { setPrivacy } from "#root/test-network/phone/profile.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import type { SendContent } from "@gateway/protocol/content.ts";
import { eventually } from "../../support/eventually.ts";
import type { Session } from "./session.ts";
import { chatOf, must, openWorld, type World } from "./world.ts";

const WAIT_MS = 60_000;
const text = (words: string): SendContent => ({ kind: "text", text: words, preview: null });

let world: World;
let carla: SimulatedPhone;

beforeAll(async () => {
  world = await openWorld({ strict: true });
});
beforeEach(async () => {
  carla = await world.newPhone("Carla");
});
afterAll(() => world.close());

/** Receipts that the author's phone got for its message. */
const receiptsOf = (author: SimulatedPhone, id: string): string[] => author.deps.receipts.list(id).map(({ kind }) => kind);
const statusesOf = (session: Session, id: string): string[] =>
  session.eventsOf("message.status").flatMap(({ message_id, status }) => (message_id === id ? [status] : []));

describe("a number whose privacy hides read receipts", () => {
  let anna: SimulatedPhone;
  let session: Session;
  beforeAll(async () => {
    ({ phone: anna, session } = await world.pair("Anna"));
    await anna.act((phone) => setPrivacy(phone, { readreceipts: "none" }));
  });

  it("marks the chat as read here too, without notifying the author, when it reads on its phone", async () => {
    const { message_id } = must(await carla.sendText(chatOf(anna), "psst"));
    await session.received(message_id);
    await eventually("the message on the phone", WAIT_MS, () => anna.inbox().some((record) => record.message_id === message_id));
    expect(await anna.read(carla.pn)).toBe(1);
    await session.waitForEvent("chat.updated", ({ chat_id, unread_count }) => chat_id === chatOf(carla) && unread_count === 0);
    await eventually("delivered", WAIT_MS, () => receiptsOf(carla, message_id).includes("delivered"));
    expect(receiptsOf(carla, message_id)).not.toContain("read");
  });

  it("is not told of read receipts until it enables its own again", async () => {
    const hidden = await session.sendAndSettle(chatOf(carla), text("hidden"));
    await eventually("hidden at the friend", WAIT_MS, () => carla.inbox().some(({ message_id }) => message_id === hidden.id));
    await carla.read(anna.pn);
    await anna.act((phone) => setPrivacy(phone, { readreceipts: "all" }));
    const shown = await session.sendAndSettle(chatOf(carla), text("shown"));
    await eventually("shown at the friend", WAIT_MS, () => carla.inbox().some(({ message_id }) => message_id === shown.id));
    await carla.read(anna.pn);
    await session.waitForEvent("message.status", ({ message_id, status }) => message_id === shown.id && status === "read");
    expect(statusesOf(session, hidden.id)).toEqual(["delivered"]);
    expect(statusesOf(session, shown.id)).toEqual(["delivered", "read"]);
  });
});

it.each([
  ["always online shows the second tick while its phone is off", true],
  ["not always online shows it when its phone is back", false],
] as const)("a number that is %s", async (_what, isOnline) => {
  const { phone, session } = await world.pair("Bea", { always_online: isOnline }, undefined, { markOnlineOnConnect: isOnline });
  await phone.change({ online: false });
  const { message_id } = must(await carla.sendText(chatOf(phone), "anybody there?"));
  await session.received(message_id);
  const status = () => carla.inbox().find((record) => record.message_id === message_id)?.status;
  await eventually("a receipt", WAIT_MS, () => receiptsOf(carla, message_id).length > 0);
  expect(receiptsOf(carla, message_id)).toEqual([isOnline ? "delivered" : "inactive"]);
  expect(status()).toBe(isOnline ? "delivered" : "sent");
  await phone.change({ online: true });
  await eventually("the second tick", WAIT_MS, () => status() === "delivered");
});

it("a receipt from a device whose user is away still counts as a delivery", async () => {
  const [{ session: ours }, { phone: away }] = [
    await world.pair("Dora", {}),
    await world.pair("Eva", { always_online: false }, undefined, { markOnlineOnConnect: false }),
  ];
  await away.change({ online: false });
  const { id } = await ours.sendAndSettle(chatOf(away), text("to a device"));
  await ours.waitForEvent("message.status", ({ message_id, status }) => message_id === id && status === "delivered");
  expect(statusesOf(ours, id)).toEqual(["delivered"]);
});
