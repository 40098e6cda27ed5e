import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGroup } from "../../../test-network/phone/groups.ts";
import { remember } from "../../../test-network/phone/backfill.ts";
import { setBlocked } from "../../../test-network/phone/profile.ts";
import type { SimulatedPhone } from "../../../test-network/phone/simulated-phone.ts";
import { chatOf, must, openWorld, type World } from "./world.ts";

describe("after the pairing", () => {
  let world: World;
  let carla: SimulatedPhone;

  beforeAll(async () => {
    world = await openWorld();
    carla = await world.newPhone("Carla");
  });
  afterAll(() => world.close());

  it("earlier chats are reported as history, with names and numbers", async () => {
    const { session } = await world.pair("Anna", {}, (phone) =>
      phone.act((parts) =>
        remember(parts, chatOf(carla), [
          { text: "long ago", timestamp: 1_600_000_000, from_me: false, read: true, message_id: "OLD1" },
          { text: "my answer", timestamp: 1_600_000_100, from_me: true, read: true, message_id: "OLD2" },
          { text: "still unread", timestamp: 1_600_000_200, from_me: false, read: false, message_id: "OLD3" },
        ]),
      ),
    );
    const old = await session.waitForEvent("message.upsert", ({ message }) => message.message_id === "OLD1");
    expect(old).toMatchObject({
      origin: "history",
      message: { chat_id: chatOf(carla), from_me: false, sender: { phone: carla.pn }, text: "long ago", timestamp: 1_600_000_000 },
    });
    expect(await session.received("OLD2")).toMatchObject({ chat_id: chatOf(carla), from_me: true, sender: null });
    await session.received("OLD3");
    await session.waitForEvent("chat.updated", (event) => event.chat_id === chatOf(carla) && event.unread_count === 1);
    await session.waitForEvent(
      "contact.updated",
      (event) => event.person.phone === carla.pn && event.push_name === "Carla" && event.from_history === true,
    );
    await session.waitForEvent("lid.mapped", (event) => event.phone === carla.pn);
    expect(session.eventsOf("message.upsert").every(({ origin }) => origin === "history")).toBe(true);
    expect(session.eventsOf("profile.updated").at(-1)?.name).toBe("Anna");
  });

  it("a large history arrives completely", async () => {
    const past = Array.from({ length: 1_200 }, (_, index) => ({
      text: `line ${index}`,
      timestamp: 1_600_000_000 + index,
      from_me: index % 2 === 0,
      read: true,
      message_id: `LINE${index}`,
    }));
    const chats = Array.from({ length: 40 }, (_, index) => `55119${42_000_000 + index}@c.us`);
    const { session } = await world.pair("Berta", {}, (phone) =>
      phone.act((parts) => {
        for (const [index, chat] of chats.entries()) remember(parts, chat, past.slice(index * 30, index * 30 + 30));
      }),
    );
    await session.waitForEvent("message.upsert", ({ message }) => message.message_id === "LINE1199");
    await session.waitForEvent("message.upsert", ({ message }) => message.message_id === "LINE0");
    const ids = new Set(session.eventsOf("message.upsert").map(({ message }) => message.message_id));
    expect(past.filter(({ message_id }) => !ids.has(message_id))).toEqual([]);
  });

  it("older messages arrive on demand", async () => {
    const { session } = await world.pair("Clara", {}, (phone) =>
      phone.act((parts) =>
        remember(parts, chatOf(carla), [{ text: "hello", timestamp: 1_600_000_000, from_me: false, read: true, message_id: "ONLY" }]),
      ),
    );
    await session.received("ONLY");
    const before = session.eventsOf("message.upsert").length;
    await session.sock.fetchMessageHistory(
      50,
      { remoteJid: `${carla.pn}@s.whatsapp.net`, id: "UNKNOWN", fromMe: false },
      1_700_000_000_000,
    );
    await session.waitForEvent("message.upsert", () => session.eventsOf("message.upsert").length > before);
    expect(session.eventsOf("message.upsert").every(({ origin }) => origin === "history")).toBe(true);
  });

  it("groups and blocked people are reported, once per pairing", async () => {
    let group = "";
    const { session } = await world.pair("Dina", {}, async (phone) => {
      group = must(await carla.act((parts) => createGroup(parts, "Old friends", [phone.pn]))).group_id;
      await phone.act((parts) => setBlocked(parts, carla.pn, true));
    });
    expect((await session.waitForEvent("group.snapshot", (event) => event.group.group_id === group)).group.subject).toBe("Old friends");
    await session.waitForEvent("contact.updated", (event) => event.person.phone === carla.pn && event.is_blocked === true);
    // Stored with the commit after theirs.
    await expect.poll(() => session.rows.has("bridge|caught-up")).toBe(true);
  });
});
