import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import type { SendContent, SendRequest } from "@gateway/protocol/content.ts";
import type { Session } from "../messages/session.ts";
import { freshNumber, must, openWorld, shown, type World } from "../messages/world.ts";

const FEED = "status@broadcast";
const text = (words: string): SendContent => ({ kind: "text", text: words, preview: null });
const seenBy = (...phones: { pn: string }[]): SendRequest["status"] => ({
  background: 0xff1f7a5c,
  font: 2,
  recipients: phones.map(({ pn }) => ({ phone: pn, lid: null })),
});

describe.each(["pn", "lid"] as const)("a status post on a network that addresses by %s", (addressing) => {
  let world: World;
  let anna: SimulatedPhone, carla: SimulatedPhone, dora: SimulatedPhone;
  let session: Session;
  beforeAll(async () => {
    world = await openWorld({ addressing });
    ({ phone: anna, session } = await world.pair("Anna"));
    [carla, dora] = [await world.newPhone("Carla"), await world.newPhone("Dora")];
  });
  afterAll(() => world.close());

  it("has its style, and reaches its audience", async () => {
    const { id, outcome } = await session.sendAndSettle(FEED, text("my day"), { status: seenBy(carla, { pn: freshNumber() }) });
    expect(outcome).toMatchObject({ kind: "acknowledged", message: { chat_id: FEED, background: 0xff1f7a5c } });
    const post = await shown(carla, ({ message_id }) => message_id === id);
    expect(post).toMatchObject({ text: "my day", style: { font: 2 } });
    expect(post.style?.background?.toLowerCase()).toBe("#ff1f7a5c");
    await shown(anna, ({ message_id }) => message_id === id);
    expect(dora.inbox().some(({ message_id }) => message_id === id)).toBe(false);
  });

  it("is refused when nobody of its audience has an account", async () => {
    const { outcome } = await session.sendAndSettle(FEED, text("?"), { status: seenBy({ pn: freshNumber() }) });
    expect(outcome).toEqual({ kind: "refused", failure: { code: "number_not_on_network" } });
  });

  it("is deleted for its audience", async () => {
    const { id } = await session.sendAndSettle(FEED, text("oops"), { status: seenBy(carla) });
    await shown(carla, ({ message_id, deleted }) => message_id === id && !deleted);
    const target = { chat_id: FEED, message_id: id, from_me: true, participant: null };
    const { outcome } = await session.sendAndSettle(
      FEED,
      { kind: "delete", target },
      { status: { ...seenBy(carla)!, background: null, font: null } },
    );
    expect(outcome).toMatchObject({ kind: "acknowledged" });
    await shown(carla, ({ message_id, deleted }) => message_id === id && deleted);
  });

  it("has its colour when it comes from another person", async () => {
    const { message_id } = must(await carla.send(FEED, { type: "text", text: "blue", style: { background: "#FF0000FF", font: 1 } }));
    expect(await session.received(message_id)).toMatchObject({
      chat_id: FEED,
      text: "blue",
      background: 0xff0000ff,
      sender: { phone: carla.pn },
    });
  });
});
