import { type BaileysEventMap, proto } from "baileys";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { createGroup } from "#root/test-network/phone/groups.ts";
import { remember, type PastMessage } from "#root/test-network/phone/history.ts";
import { setBlocked } from "#root/test-network/phone/profile.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import { historyWaitsOf } from "#root/session-bridge/networks/baileys/memory/history-waits.ts";
import type { Scan } from "../../support/bridge/baileys-client.ts";
import { eventually } from "../../support/eventually.ts";
import { runOk } from "../commands/run-command.ts";
import { Session } from "./session.ts";
import { chatOf, must, openWorld, type World } from "./world.ts";

const { RECENT } = proto.HistorySync.HistorySyncType;

/** Delays the library's history sync announcements until `release`. */
class HeldAnnouncements extends Session {
  announced = false;
  #held: (() => void)[] | null = [];

  override connect(scan?: Scan): this {
    super.connect(scan);
    const { ev } = this.sock;
    const emit = ev.emit.bind(ev);
    ev.emit = (event, data) => {
      if (event !== "messaging-history.status") return emit(event, data);
      const announce = () => {
        emit(event, data);
        this.announced ||= (data as BaileysEventMap["messaging-history.status"]).syncType === RECENT;
      };
      if (this.#held === null) announce();
      else this.#held.push(announce);
      return true;
    };
    return this;
  }

  release(): void {
    for (const announce of this.#held ?? []) announce();
    this.#held = null;
  }
}

const pastOf = (count: number, prefix: string): PastMessage[] =>
  Array.from({ length: count }, (_, index) => ({
    text: `line ${index}`,
    timestamp: 1_600_000_000 + index,
    from_me: index % 2 === 0,
    read: true,
    message_id: `${prefix.slice(0, -5)}L${index}`,
  }));

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
    const states = () => session.eventsOf("session.history").map(({ state }) => state);
    await eventually("the end of the history", 60_000, () => states().at(-1) === "complete");
  });

  it.each(["before", "after"] as const)(
    "three chats of 350 messages end as complete, announced %s the last chunk is stored",
    async (when) => {
      const phone = await world.newPhone("Eva");
      const chats = [1, 2, 3].map((nth) => `55119${43_000_000 + nth}@c.us`);
      await phone.act((parts) => {
        for (const chat of chats) remember(parts, chat, pastOf(350, chat));
      });
      const session = new HeldAnnouncements(world);
      if (when === "before") session.release();
      await session.connect((qr) => phone.scan(qr)).ready();
      // A phone sends the newest 200 messages of each chat, here in two chunks.
      const stored = () => new Set(session.eventsOf("message.upsert").map(({ message }) => message.message_id)).size;
      await eventually("the messages of every chat", 60_000, () => stored() === 600);
      session.release();
      const states = () => session.eventsOf("session.history").map(({ state, progress }) => `${state} ${progress}`);
      await eventually("the end of the history", 60_000, () => states().includes("complete 100"));
      await eventually("the announcement", 60_000, () => session.announced);
      expect(states().at(-1)).toBe("complete 100");
      const [last, end] = ["message.upsert", "session.history"].map((type) =>
        session.events.findLastIndex(({ event }) => event.type === type),
      );
      expect(end).toBeGreaterThan(last ?? 0);
      await session.end();
    },
  );

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
    // This row is stored with the commit after the messages' commit.
    await expect.poll(() => session.rows.has("bridge|caught-up")).toBe(true);
  });
});

describe("a phone that hands over no history", () => {
  let world: World;

  beforeAll(async () => {
    world = await openWorld();
  });
  afterEach(() => vi.useRealTimers());
  afterAll(() => world.close());

  const NOTE = { text: "a note", timestamp: 1_600_000_000, from_me: true, read: true, message_id: "NOTE" };
  const states = (session: Session) => session.eventsOf("session.history").map(({ state }) => state);

  it("is reported once, ten minutes after the pairing", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
    const { session } = await world.pair("Elsa", {}, (phone) => phone.change({ history: "none" }));
    await eventually("the wait", 60_000, () => session.rows.has("bridge|history-initial"));
    vi.advanceTimersByTime(9 * 60_000);
    expect(states(session)).toEqual([]);
    vi.advanceTimersByTime(2 * 60_000);
    expect(states(session)).toEqual(["paused"]);
    vi.advanceTimersByTime(60 * 60_000);
    expect(states(session)).toEqual(["paused"]);
  });

  it("ends a request for older messages after two minutes, even another process's, and takes a late answer", async () => {
    const { session, phone } = await world.pair("Fani", {}, (fani) => fani.act((parts) => void remember(parts, chatOf(fani), [NOTE])));
    await eventually("the first history", 60_000, () => session.rows.get("bridge|history-initial") === "settled");
    await phone.change({ history: "none" });
    const ref = { chat_id: chatOf(phone), message_id: "NOTE", from_me: true, participant: null };
    const ask = () => runOk(session, "chats.history", { chat_id: chatOf(phone), ref, timestamp: 1_600_000_000, count: 5 });
    await ask();
    const before = states(session).length;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
    // The next process has only the stored rows.
    const next = { ...session.networkSession };
    historyWaitsOf(next);
    vi.advanceTimersByTime(90_000);
    expect(states(session).slice(before)).toEqual([]);
    vi.advanceTimersByTime(60_000);
    expect(states(session).slice(before)).toEqual(["paused"]);
    vi.useRealTimers();
    await phone.change({ history: "all" });
    await ask();
    await eventually("the answer", 60_000, () => states(session).at(-1) === "complete");
    expect(session.rows.get("bridge|history-asked")).toBe("settled");
  });
});
