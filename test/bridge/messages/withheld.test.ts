// Messages whose content the network gives only to the phone; linked devices learn just that they exist.
import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import { eventually } from "../../support/eventually.ts";
import type { Session } from "./session.ts";
import { chatOf, must, openWorld, type World } from "./world.ts";

let world: World;
let anna: SimulatedPhone, carla: SimulatedPhone;
let session: Session;
let unreadable = 0;

beforeAll(async () => {
  world = await openWorld();
  ({ phone: anna, session } = await world.pair("Anna"));
  carla = await world.newPhone("Carla");
  session.networkSession.logger.info = ((_line: unknown, event: string) => {
    if (event === "message.unreadable") unreadable += 1;
  }) as never;
});
afterEach(() => vi.useRealTimers());
afterAll(() => world.close());

const reported = (id: string) =>
  session.eventsOf("message.upsert").flatMap(({ message }) => (message.message_id === id ? [[message.type, message.text]] : []));

it("the answer to an advertisement is requested from the phone, and reported once", async () => {
  const { message_id: id } = must(await carla.send(anna.pn, { type: "text", text: "is it still for sale?" }, { withheld: "ad" }));
  expect(await session.received(id)).toMatchObject({ type: "text", chat_id: chatOf(carla), from_me: false, sender: { phone: carla.pn } });
  expect(reported(id)).toEqual([["text", "is it still for sale?"]]);
});

it("the answer to an advertisement has a placeholder while the phone is off, and replaces it later", async () => {
  await anna.change({ online: false });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
  const before = unreadable;
  const { message_id: id } = must(await carla.send(anna.pn, { type: "text", text: "hello?" }, { withheld: "ad" }));
  await eventually("the stanza", 60_000, () => unreadable > before);
  vi.advanceTimersByTime(58_000);
  expect(reported(id)).toEqual([]);
  vi.advanceTimersByTime(3_000);
  vi.useRealTimers();
  expect(await session.received(id)).toMatchObject({ type: "undecrypted", text: null, chat_id: chatOf(carla) });
  await anna.change({ online: true });
  await eventually("the message", 60_000, () => reported(id).length > 1);
  expect(reported(id)).toEqual([
    ["undecrypted", null],
    ["text", "hello?"],
  ]);
});

it("a view-once message is reported as one, without its file and without asking the phone", async () => {
  const file = { bytes: randomBytes(500), mimetype: "image/png", filename: null };
  const before = unreadable;
  const content = { type: "image" as const, file, caption: null, view_once: true };
  const { message_id: id } = must(await carla.send(anna.pn, content, { withheld: "view_once" }));
  expect(await session.received(id)).toMatchObject({ type: "view_once", view_once: true, media: null, sender: { phone: carla.pn } });
  expect(unreadable).toBe(before);
});
