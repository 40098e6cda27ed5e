import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatOf, openWorld, shown, type World } from "./world.ts";

describe("several sends at once", () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(() => world.close());

  it("keep their order within a chat and do not block other chats", async () => {
    const { session } = await world.pair("Anna");
    const [carla, dora] = [await world.newPhone("Carla"), await world.newPhone("Dora")];
    const texts = Array.from({ length: 20 }, (_, index) => `number ${index}`);
    await Promise.all(
      [carla, dora].flatMap((phone) => texts.map((text) => session.sendAndSettle(chatOf(phone), { kind: "text", text, preview: null }))),
    );
    for (const phone of [carla, dora]) {
      await shown(phone, ({ text }) => text === texts.at(-1));
      expect(phone.inbox().map(({ text }) => text)).toEqual(texts);
    }
  });

  it("let a text to another chat overtake a slow file", async () => {
    const { session } = await world.pair("Berta");
    const [carla, dora] = [await world.newPhone("Carla"), await world.newPhone("Dora")];
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const open = session.media.open.bind(session.media);
    session.media.open = async (token) => {
      await held;
      return open(token);
    };
    const slow = session.sendAndSettle(chatOf(carla), {
      kind: "document",
      media: session.media.keep(randomBytes(100), "text/plain", "a.txt"),
      caption: null,
    });
    const behind = session.sendAndSettle(chatOf(carla), { kind: "text", text: "after the file", preview: null });
    const quick = await session.sendAndSettle(chatOf(dora), { kind: "text", text: "not waiting", preview: null });
    expect(quick.outcome.kind).toBe("acknowledged");
    expect(carla.inbox()).toHaveLength(0);
    release();
    expect((await slow).outcome.kind).toBe("acknowledged");
    expect((await behind).outcome.kind).toBe("acknowledged");
    await shown(carla, ({ text }) => text === "after the file");
    expect(carla.inbox().map(({ type }) => type)).toEqual(["document", "text"]);
  });

  it("are acknowledged in turn when many begin together", async () => {
    const { session } = await world.pair("Eva");
    const people = await Promise.all(Array.from({ length: 60 }, (_, n) => world.newPhone(`Person ${n}`)));
    const settleAll = (text: string): Promise<unknown>[] =>
      people.map((phone) => session.sendAndSettle(chatOf(phone), { kind: "text", text, preview: null }));
    await Promise.all(settleAll("first contact"));
    const sends = settleAll("hello");
    await Promise.race(sends);
    const arrived = people.filter((phone) => phone.inbox().some(({ text }) => text === "hello")).length;
    expect(arrived).toBeLessThan(people.length);
    await Promise.all(sends);
  });
});
