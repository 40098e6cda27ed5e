import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import type { Session } from "./session.ts";
import { chatOf, must, openWorld, shown, type World } from "./world.ts";

describe.each(["pn", "lid"] as const)("text, with people addressed by %s", (addressing) => {
  let world: World;
  let anna: SimulatedPhone, carla: SimulatedPhone;
  let session: Session;

  beforeAll(async () => {
    world = await openWorld({ addressing });
    ({ phone: anna, session } = await world.pair("Anna"));
    carla = await world.newPhone("Carla");
  });
  afterAll(() => world.close());

  it("from a person is reported once, by phone", async () => {
    const { message_id } = must(await carla.sendText(anna.pn, "good morning"));
    const { origin, message } = await session.waitForEvent("message.upsert", (event) => event.message.message_id === message_id);
    expect(origin).toBe("live");
    expect(message).toMatchObject({
      chat_id: chatOf(carla),
      from_me: false,
      type: "text",
      text: "good morning",
      push_name: "Carla",
      sender: { phone: carla.pn },
      media: null,
      forwarded: false,
    });
    expect(session.events.filter(({ key }) => key === `message:${chatOf(carla)}:in:${message_id}`)).toHaveLength(1);
  });

  it("typed on the own phone is reported as own, in the other person's chat", async () => {
    const { message_id } = must(await anna.sendText(carla.pn, "typed by thumb"));
    const { origin, message } = await session.waitForEvent("message.upsert", (event) => event.message.message_id === message_id);
    expect(origin).toBe("own_device");
    expect(message).toMatchObject({ chat_id: chatOf(carla), from_me: true, sender: null, text: "typed by thumb" });
  });

  it("sent through us is settled by the network's ack, and arrives", async () => {
    const { id, outcome } = await session.sendAndSettle(chatOf(carla), { kind: "text", text: "sent by API", preview: null });
    expect(outcome).toMatchObject({
      kind: "acknowledged",
      to_resolved: null,
      message: { message_id: id, chat_id: chatOf(carla), type: "text", text: "sent by API", from_me: true },
    });
    expect((await shown(carla, ({ message_id }) => message_id === id)).text).toBe("sent by API");
    const delivered = await session.waitForEvent("message.status", (event) => event.message_id === id && event.status === "delivered");
    expect(delivered).toMatchObject({ chat_id: chatOf(carla), participant: null });
    await carla.read(anna.pn);
    await session.waitForEvent("message.status", (event) => event.message_id === id && event.status === "read");
  });
});
