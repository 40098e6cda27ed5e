// The library's event buffer, redeliveries and lost connections must not affect events.
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { bigEndian, node, nowSeconds } from "#root/test-network/node.ts";
import { createGroup } from "#root/test-network/phone/groups.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import type { SendContent } from "@gateway/protocol/content.ts";
import { eventually } from "../../support/eventually.ts";
import type { Session } from "./session.ts";
import { chatOf, must, openWorld, shown, type World } from "./world.ts";

const text = (words: string): SendContent => ({ kind: "text", text: words, preview: null });

describe("events of the time while a session was offline", () => {
  let world: World;
  let anna: SimulatedPhone, carla: SimulatedPhone;
  let session: Session;

  beforeAll(async () => {
    world = await openWorld();
    ({ phone: anna, session } = await world.pair("Anna"));
    carla = await world.newPhone("Carla");
    must(await carla.sendText(anna.pn, "before"));
    await session.waitForEvent("message.upsert", ({ message }) => message.text === "before");
  });
  afterAll(() => world.close());

  const away = async (work: () => Promise<void>) => {
    world.network.faults.add({ phone: anna.pn, kind: "hold" });
    await work();
    world.network.faults.add({ phone: anna.pn, kind: "release" });
  };

  it("are reported as they happened: a message and its deletion, an edit, a reaction", async () => {
    let first = "",
      second = "";
    await away(async () => {
      first = must(await carla.sendText(anna.pn, "I regret this")).message_id;
      must(await carla.delete(anna.pn, first));
      second = must(await carla.sendText(anna.pn, "a tipo")).message_id;
      must(await carla.edit(anna.pn, second, "a typo"));
      must(await carla.react(anna.pn, second, "🙈"));
    });
    expect(await session.received(first)).toMatchObject({ text: "I regret this" });
    await session.waitForEvent("message.deleted", (event) => event.message_id === first);
    expect(await session.received(second)).toMatchObject({ text: "a tipo" });
    await session.waitForEvent("message.edited", (event) => event.message_id === second && event.text === "a typo");
    await session.waitForEvent("message.reaction", (event) => event.message_id === second && event.reaction === "🙈");
    const offline = session
      .eventsOf("message.upsert")
      .filter(({ message }) => message.message_id === first || message.message_id === second);
    expect(offline.map(({ origin }) => origin)).toEqual(["offline", "offline"]);
  });

  it("are reported completely and in order, however many they are", async () => {
    const texts = Array.from({ length: 120 }, (_, index) => `queued ${index}`);
    await away(async () => {
      for (const text of texts) must(await carla.sendText(anna.pn, text));
    });
    await session.waitForEvent("message.upsert", ({ message }) => message.text === texts.at(-1));
    expect(
      session
        .eventsOf("message.upsert")
        .map(({ message }) => message.text)
        .filter((text) => text?.startsWith("queued")),
    ).toEqual(texts);
  });

  it("have the same dedupe key when the network delivers them twice", async () => {
    const { message_id } = must(await carla.sendText(anna.pn, "twice"));
    const message = await session.received(message_id);
    // The library emits the same message again, as after a crash.
    session.sock.ev.emit("messages.upsert", {
      type: "append",
      messages: [
        {
          key: { remoteJid: `${carla.pn}@s.whatsapp.net`, id: message_id, fromMe: false },
          message: { conversation: "twice" },
          messageTimestamp: message.timestamp,
        },
      ],
    });
    const keys = session.events
      .filter(({ event }) => event.type === "message.upsert" && event.message.message_id === message_id)
      .map(({ key }) => key);
    expect(keys).toEqual([`message:${chatOf(carla)}:in:${message_id}`, `message:${chatOf(carla)}:in:${message_id}`]);
  });
});

describe("a retry receipt", () => {
  let world: World;
  let anna: SimulatedPhone, carla: SimulatedPhone, dora: SimulatedPhone;
  let session: Session;

  beforeAll(async () => {
    world = await openWorld();
    // Each message comes from the stored rows, as after a restart of the bridge.
    ({ phone: anna, session } = await world.pair("Anna", {}, undefined, { enableRecentMessageCache: false }));
    [carla, dora] = [await world.newPhone("Carla"), await world.newPhone("Dora")];
    for (const friend of [carla, dora]) await session.sendAndSettle(chatOf(friend), text("hello"));
    // Each answer ends the time in which messages contain what a new session needs.
    const answers = [
      await carla.sendText(anna.pn, "hi"),
      await dora.sendText(anna.pn, "hi"),
      await anna.sendText(carla.pn, "from the phone"),
    ];
    for (const answer of answers) await session.received(must(answer).message_id);
  });
  afterAll(() => world.close());

  const ours = () => world.network.directory.account(anna.pn)?.devices.get(1);
  /** The phone asks for a message, and our device acks the receipt. */
  const askAgain = async (asker: SimulatedPhone, id: string, to: { to: string | undefined; participant?: string | undefined }) => {
    await asker.act((phone) => {
      const retry = node("retry", { count: "1", id, t: nowSeconds(), v: "1" });
      phone.link.send(node("receipt", { id, ...to, type: "retry" }, [retry, node("registration", {}, bigEndian(1, 4))]));
    });
    await eventually("the receipt to be acked", 60_000, () => ours()?.queue.size === 0);
  };
  const asked = (phone: SimulatedPhone) => phone.deps.counters.retriesAsked;

  it("brings a person the message again", async () => {
    await carla.loseSessionsWith(anna.pn);
    const { id } = await session.sendAndSettle(chatOf(carla), text("again for Carla"));
    await shown(carla, ({ message_id }) => message_id === id);
    expect(asked(carla)).toBe(1);
  });

  it("brings our own phone its copy again", async () => {
    await anna.loseSessionsWith(anna.pn);
    const { id } = await session.sendAndSettle(chatOf(carla), text("again for our phone"));
    expect(await shown(anna, ({ message_id }) => message_id === id)).toMatchObject({ text: "again for our phone", from_me: true });
    expect(asked(anna)).toBe(1);
  });

  it("brings a member of a group the message again", async () => {
    const { group_id } = must(await carla.act((phone) => createGroup(phone, "Team", [anna.pn, dora.pn])));
    await session.waitForEvent("group.snapshot", ({ group }) => group.group_id === group_id);
    await dora.loseSessionsWith(anna.pn);
    const sent: (string | undefined)[] = [];
    let queries = 0;
    const { faults } = world.network;
    const [onSend, onQuery] = [faults.onSend.bind(faults), faults.onQuery.bind(faults)];
    faults.onSend = (device, message) => {
      // Only the queries that follow the first copy are of interest.
      if (sent.push(message.attrs["participant"]) === 1) queries = 0;
      return onSend(device, message);
    };
    faults.onQuery = (device, iq) => {
      if (iq.attrs["xmlns"] === "usync") queries += 1;
      return onQuery(device, iq);
    };
    const { id } = await session.sendAndSettle(group_id, text("again for Dora"));
    await shown(dora, ({ message_id }) => message_id === id);
    [faults.onSend, faults.onQuery] = [onSend, onQuery];
    expect([asked(dora), queries]).toEqual([1, 0]);
    // The second copy goes to Dora's phone only.
    expect(sent).toEqual([undefined, expect.stringMatching(/^\d+@(lid|s\.whatsapp\.net)$/)]);
    const { id: next } = await session.sendAndSettle(group_id, text("the next one"));
    for (const phone of [carla, dora]) {
      await shown(phone, ({ message_id }) => message_id === next);
      expect(phone.inbox().find(({ message_id }) => message_id === id)?.duplicates).toBe(0);
    }
    expect(asked(dora)).toBe(1);
  });

  it("brings a member of a group the message five times at most", async () => {
    const { group_id } = must(await carla.act((phone) => createGroup(phone, "Team", [anna.pn, dora.pn])));
    const { id } = await session.sendAndSettle(group_id, text("again and again"));
    await shown(dora, ({ message_id }) => message_id === id);
    const { faults } = world.network;
    const onSend = faults.onSend.bind(faults);
    const copies: (string | undefined)[] = [];
    faults.onSend = (device, message) => {
      if (message.attrs["id"] === id) copies.push(message.attrs["participant"]);
      return onSend(device, message);
    };
    const to = { to: group_id, participant: ours()?.lidJid };
    for (let round = 1; round <= 5; round += 1) {
      await askAgain(dora, id, to);
      await eventually("the copy", 60_000, () => copies.length === round);
    }
    await askAgain(dora, id, to);
    // Carla's copy would follow a sixth one for Dora.
    await askAgain(carla, id, to);
    await eventually("Carla's copy", 60_000, () => new Set(copies).size === 2);
    faults.onSend = onSend;
    expect(copies).toHaveLength(6);
  });

  it("brings nobody the message of another chat", async () => {
    const { id } = await session.sendAndSettle(chatOf(carla), text("for Carla only"));
    await shown(carla, ({ message_id }) => message_id === id);
    for (const to of [ours()?.lidJid, ours()?.pnJid]) await askAgain(dora, id, { to });
    await dora.idle();
    expect(dora.inbox().filter(({ message_id }) => message_id === id)).toEqual([]);
  });
});

describe("a message that cannot be decrypted", () => {
  let world: World;
  let anna: SimulatedPhone, carla: SimulatedPhone;
  let session: Session;

  beforeAll(async () => {
    world = await openWorld();
    ({ phone: anna, session } = await world.pair("Anna"));
    carla = await world.newPhone("Carla");
    must(await carla.sendText(anna.pn, "a session begins"));
    await session.waitForEvent("message.upsert", ({ message }) => message.text === "a session begins");
  });
  afterEach(() => void vi.useRealTimers());
  afterAll(() => world.close());

  const loseSession = () => {
    for (const key of session.auth.kept.keys()) if (key.startsWith("session|")) session.auth.kept.delete(key);
  };

  it("is reported once, when it is resent", async () => {
    loseSession();
    const { message_id } = must(await carla.sendText(anna.pn, "say again?"));
    expect(await session.received(message_id)).toMatchObject({ type: "text", text: "say again?" });
    expect(session.eventsOf("message.upsert").filter(({ message }) => message.message_id === message_id)).toHaveLength(1);
  });

  it("is reported as undecryptable when it is not resent in time, and replaced when it is", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const stub = {
      key: { remoteJid: `${carla.pn}@s.whatsapp.net`, id: "STUB1", fromMe: false },
      messageTimestamp: 1_700_000_000,
      messageStubType: 2,
      messageStubParameters: ["No session record"],
    };
    session.sock.ev.emit("messages.upsert", { type: "notify", messages: [stub] });
    vi.advanceTimersByTime(59_000);
    expect(session.eventsOf("message.upsert").some(({ message }) => message.message_id === "STUB1")).toBe(false);
    vi.advanceTimersByTime(2_000);
    vi.useRealTimers();
    expect(await session.received("STUB1")).toMatchObject({ type: "undecrypted", text: null, chat_id: chatOf(carla) });
    session.sock.ev.emit("messages.upsert", {
      type: "notify",
      messages: [{ ...stub, messageStubType: null, message: { conversation: "at last" } }],
    });
    await eventually("the message", 60_000, () =>
      session.eventsOf("message.upsert").some(({ message }) => message.message_id === "STUB1" && message.text === "at last"),
    );
    const keys = session.events
      .filter(({ event }) => event.type === "message.upsert" && event.message.message_id === "STUB1")
      .map(({ key }) => key);
    expect(new Set(keys).size).toBe(2);
  });
});
