import type { BinaryNode } from "baileys";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { restrict, setNewChatQuota } from "#root/test-network/new-chats.ts";
import { createGroup, setGroup } from "#root/test-network/phone/groups.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import { Sends, sendsOf } from "#root/session-bridge/networks/baileys/outbound/sends.ts";
import type { SendContent } from "@gateway/protocol/content.ts";
import { eventually } from "../../support/eventually.ts";
import { freshId, type Session } from "./session.ts";
import { chatOf, freshNumber, must, openWorld, shown, type World } from "./world.ts";

const text = (words: string): SendContent => ({ kind: "text", text: words, preview: null });
/** The outcome of a send refused by a check before sending. */
const refused = (code: string, more: object = {}) => ({ kind: "refused", failure: { code, ...more } });
/** The outcome of a send refused by the network on delivery. */
const undelivered = (code: string, more: object = {}) => refused(code, { ...more, attempted: true });

describe("a send that fails", () => {
  let world: World;
  let anna: SimulatedPhone, carla: SimulatedPhone;
  let session: Session;

  beforeAll(async () => {
    world = await openWorld();
    ({ phone: anna, session } = await world.pair("Anna"));
    carla = await world.newPhone("Carla");
    await session.sendAndSettle(chatOf(carla), text("hello"));
  });
  afterAll(() => world.close());

  const refuse = (code: number, times = 1) => world.network.faults.add({ phone: anna.pn, kind: "refuse_send", code, times });

  it("says when the block ends if the account may not start chats", async () => {
    const until = Math.floor(Date.now() / 1000) + 3_600;
    restrict(world.network, world.network.directory.account(anna.pn)!, until);
    refuse(463);
    const { id, outcome } = await session.sendAndSettle(chatOf(carla), text("blocked"));
    restrict(world.network, world.network.directory.account(anna.pn)!, undefined);
    expect(outcome).toMatchObject(
      undelivered("temporarily_blocked", { details: { scope: "account", message_id: id, ends_at: new Date(until * 1000).toISOString() } }),
    );
    const { failure } = outcome as Extract<typeof outcome, { kind: "refused" }>;
    expect(failure.retryAfter).toBeGreaterThan(3_000);
    expect(failure.retryAfter).toBeLessThanOrEqual(3_600);
  });

  it("says that only this recipient is affected if one recipient cannot be messaged", async () => {
    refuse(463);
    const { id, outcome } = await session.sendAndSettle(chatOf(carla), text("blocked"));
    expect(outcome).toEqual(undelivered("temporarily_blocked", { details: { scope: "recipient", ends_at: null, message_id: id } }));
  });

  it("says when the used-up quota of new chats is renewed, and reports the quota", async () => {
    const account = world.network.directory.account(anna.pn)!;
    const endsAt = Math.floor(Date.now() / 1000) + 3_600;
    const [erik, fabio] = [await world.newPhone("Erik"), await world.newPhone("Fabio")];
    setNewChatQuota(world.network, account, { total: 10, used: 9, status: "NONE", endsAt });
    expect((await session.sendAndSettle(chatOf(erik), text("the tenth"))).outcome.kind).toBe("acknowledged");
    const { id, outcome } = await session.sendAndSettle(chatOf(fabio), text("the eleventh"));
    expect(outcome).toMatchObject(
      undelivered("temporarily_blocked", { details: { scope: "account", message_id: id, ends_at: new Date(endsAt * 1000).toISOString() } }),
    );
    const quota = { total: 10, used: 10, cycle_ends_at: endsAt, status: "capped" };
    expect(session.eventsOf("account.new_chat_quota").at(-1)).toMatchObject({ quota });
    expect((await session.sendAndSettle(chatOf(erik), text("known"))).outcome.kind).toBe("acknowledged");
    await fabio.sendText(anna.pn, "hello");
    expect((await session.sendAndSettle(chatOf(fabio), text("an answer"))).outcome.kind).toBe("acknowledged");
    setNewChatQuota(world.network, account, undefined);
  });

  it.each([
    [429, undelivered("network_rate_limited", { retryAfter: 60 })],
    [403, undelivered("forbidden")],
    [401, undelivered("forbidden")],
    [404, undelivered("number_not_on_network")],
    [500, undelivered("network_error", { details: { network_code: 500 } })],
  ])("is reported with the matching code when the network answers %i", async (code, expected) => {
    refuse(code);
    const { id, outcome } = await session.sendAndSettle(chatOf(carla), text("refused"));
    expect(outcome).toEqual(expected);
    expect(carla.inbox().some(({ message_id }) => message_id === id)).toBe(false);
  });

  it("says whether a group takes messages from admins only or is unknown", async () => {
    const { group_id } = must(await carla.act((phone) => createGroup(phone, "Team", [anna.pn])));
    refuse(403);
    expect((await session.sendAndSettle(group_id, text("refused"))).outcome).toEqual(undelivered("not_group_admin"));
    expect((await session.sendAndSettle("120363999999999999@g.us", text("nowhere"))).outcome).toEqual(refused("group_not_found"));
  });

  it("is not sent to a number without an account", async () => {
    const relayed = world.network.stats.relayed;
    expect((await session.sendAndSettle(`${freshNumber()}@c.us`, text("nobody"))).outcome).toEqual(refused("number_not_on_network"));
    expect(world.network.stats.relayed).toBe(relayed);
  });

  it("names the number that has an account if a Brazilian number lacks its 55", async () => {
    const written = carla.pn.slice(2);
    expect(carla.pn).toBe(`55${written}`);
    expect((await session.sendAndSettle(`${written}@c.us`, text("nobody"))).outcome).toEqual(
      refused("number_not_on_network", { details: { suggested_number: carla.pn } }),
    );
  });

  it("says that its quote, its source or its file is missing", async () => {
    const ref = { chat_id: chatOf(carla), message_id: "X", from_me: false, participant: null };
    expect((await session.sendAndSettle(chatOf(carla), text("?"), { quoted: { raw: "bm90aGluZw==", ref } })).outcome).toEqual(
      refused("quoted_message_not_found"),
    );
    expect((await session.sendAndSettle(chatOf(carla), { kind: "forward", raw: "" })).outcome).toEqual(refused("source_message_not_found"));
    const gone = { token: "gone", mimetype: "image/png", filename: null, size: 1 };
    expect((await session.sendAndSettle(chatOf(carla), { kind: "image", media: gone, caption: null, view_once: false })).outcome).toEqual(
      refused("media_expired"),
    );
  });

  it("says that the look-up of the number is rate limited", async () => {
    const dora = await world.newPhone("Dora");
    world.network.faults.add({ phone: anna.pn, kind: "iq_error", code: 429, xmlns: "usync" });
    expect((await session.sendAndSettle(chatOf(dora), text("?"))).outcome).toEqual(refused("network_rate_limited", { retryAfter: 60 }));
    expect((await session.sendAndSettle(chatOf(dora), text("now"))).outcome.kind).toBe("acknowledged");
  });
});

describe("a send that was relayed", () => {
  let world: World;
  let anna: SimulatedPhone, carla: SimulatedPhone;
  let session: Session;

  beforeAll(async () => {
    world = await openWorld();
    ({ phone: anna, session } = await world.pair("Anna"));
    carla = await world.newPhone("Carla");
    await session.sendAndSettle(chatOf(carla), text("hello"));
  });
  afterAll(() => world.close());

  afterEach(() => void vi.useRealTimers());

  const timeOut = (textMs: number) => sendsOf.replace(session.networkSession, new Sends({ textMs, sharedMs: textMs, mediaMs: textMs }));
  /** Sends a text, and lets the time for its ack pass once the network has it. */
  const unacked = async (kind: "lose_send" | "swallow_send", words: string) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
    timeOut(10_000);
    world.network.faults.add({ phone: anna.pn, kind });
    const sent = session.sendAndSettle(chatOf(carla), text(words));
    await eventually("the network to have it", 60_000, () => world.network.faults.list().length === 0);
    vi.advanceTimersByTime(20_000);
    vi.useRealTimers();
    return sent;
  };

  /** Answers number look-ups instead of the network until the returned function is called. */
  const answerLookUps = (answer: () => Promise<BinaryNode>): (() => void) => {
    const { query } = session.sock;
    const isLookUp = ({ attrs, content }: BinaryNode) => attrs["xmlns"] === "usync" && JSON.stringify(content).includes("addressing_mode");
    session.sock.query = (iq, timeoutMs) => (isLookUp(iq) ? answer() : query(iq, timeoutMs));
    return () => void (session.sock.query = query);
  };

  it("names the network's form of a number that was given in another form", async () => {
    const asked = freshNumber();
    const found = { tag: "user", attrs: { pn_jid: `${carla.pn}@s.whatsapp.net` }, content: [{ tag: "contact", attrs: { type: "in" } }] };
    const usual = answerLookUps(async () => ({
      tag: "iq",
      attrs: {},
      content: [{ tag: "usync", attrs: {}, content: [{ tag: "list", attrs: {}, content: [found] }] }],
    }));
    const { id, outcome } = await session.sendAndSettle(`${asked}@c.us`, text("with or without the ninth digit"));
    usual();
    expect(outcome).toMatchObject({ kind: "acknowledged", to_resolved: carla.pn, message: { chat_id: chatOf(carla) } });
    await shown(carla, ({ message_id }) => message_id === id);
    // Looked up only once in thirty days.
    expect((await session.sendAndSettle(`${asked}@c.us`, text("again"))).outcome).toMatchObject({ to_resolved: carla.pn });
  });

  it("is retried once, when the recipient's devices had changed", async () => {
    world.network.faults.add({ phone: anna.pn, kind: "refuse_send", code: 479, times: 1 });
    const { id, outcome } = await session.sendAndSettle(chatOf(carla), text("second try"));
    expect(outcome.kind).toBe("acknowledged");
    await shown(carla, ({ message_id }) => message_id === id);
    world.network.faults.add({ phone: anna.pn, kind: "refuse_send", code: 479, times: 2 });
    const third = await session.sendAndSettle(chatOf(carla), text("no third"));
    expect(third.outcome).toEqual({
      kind: "refused",
      failure: { code: "network_error", details: { network_code: 479 }, attempted: true },
    });
    // The object would take the row as a sign that a later try under this id may have left.
    expect(session.rows.has(`sent|${third.id}`)).toBe(false);
    world.network.faults.clear();
  });

  it("was certainly not sent if the network refused it and its retry did not leave in time", async () => {
    world.network.faults.add({ phone: anna.pn, kind: "refuse_send", code: 479, times: 1 });
    const { relayMessage } = session.sock;
    const retried = Promise.withResolvers<void>();
    let relays = 0;
    session.sock.relayMessage = async (...relayed) => {
      if ((relays += 1) === 1) return relayMessage(...relayed);
      retried.resolve();
      return new Promise(() => undefined);
    };
    const request = session.request(chatOf(carla), text("refused, and then no time is left"));
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
    const ended = sendsOf(session.networkSession).send(session.ctx, request, 20_000);
    await retried.promise;
    const rowIsLeft = session.rows.has(`sent|${request.message_id}`);
    vi.advanceTimersByTime(20_000);
    vi.useRealTimers();
    await ended;
    session.sock.relayMessage = relayMessage;
    expect(rowIsLeft).toBe(false);
    expect(session.outcomesOf(request.message_id)).toEqual([{ kind: "refused", failure: { code: "unavailable" } }]);
    await sendsOf(session.networkSession).send(session.ctx, request);
    expect(session.outcomesOf(request.message_id).at(-1)?.kind).toBe("acknowledged");
    expect(session.rows.has(`sent|${request.message_id}`)).toBe(true);
  });

  it("fails once, without a repetition, as a status post whose viewers' devices the network refuses (479)", async () => {
    const posts: string[] = [];
    const { faults } = world.network;
    const onSend = faults.onSend.bind(faults);
    faults.onSend = (device, message) => {
      if (message.attrs["to"] === "status@broadcast") posts.push(message.attrs["id"] ?? "");
      return onSend(device, message);
    };
    faults.add({ phone: anna.pn, kind: "refuse_send", code: 479, times: 1 });
    const status = { background: null, font: null, recipients: [{ phone: carla.pn, lid: null }] };
    const { id, outcome } = await session.sendAndSettle("status@broadcast", text("my day"), { status });
    faults.onSend = onSend;
    expect(outcome).toEqual({ kind: "refused", failure: { code: "network_error", details: { network_code: 479 }, attempted: true } });
    expect(posts).toEqual([id]);
    expect(session.outcomesOf(id)).toEqual([outcome]);
    expect(faults.list()).toEqual([]);
  });

  it("without an ack is uncertain, until the ack comes", async () => {
    const { id, outcome } = await unacked("lose_send", "lost");
    expect(outcome).toEqual({ kind: "uncertain" });
    session.sock.ws.emit("CB:ack,class:message", {
      tag: "ack",
      attrs: { id, class: "message", from: `${carla.pn}@s.whatsapp.net`, t: "1900000000" },
    });
    expect(session.outcomesOf(id)).toMatchObject([
      { kind: "uncertain" },
      { kind: "acknowledged", timestamp: 1_900_000_000, message: { text: "lost" } },
    ]);
  });

  it("without an ack is settled by a receipt", async () => {
    await carla.change({ receipts: "none" });
    const { id, outcome } = await unacked("swallow_send", "swallowed");
    expect(outcome).toEqual({ kind: "uncertain" });
    await shown(carla, ({ message_id }) => message_id === id);
    await carla.read(anna.pn);
    await carla.change({ receipts: "delivered" });
    await eventually("the proof", 60_000, () => session.outcomesOf(id).at(-1)?.kind === "acknowledged");
  });

  it("is acknowledged again when it is requested again, without a second send", async () => {
    const request = session.request(chatOf(carla), text("only once"));
    await Promise.all([
      sendsOf(session.networkSession).send(session.ctx, request),
      sendsOf(session.networkSession).send(session.ctx, request),
    ]);
    await sendsOf(session.networkSession).send(session.ctx, request);
    expect(session.outcomesOf(request.message_id).map(({ kind }) => kind)).toEqual(["acknowledged", "acknowledged"]);
    const record = await shown(carla, ({ message_id }) => message_id === request.message_id);
    expect(record.duplicates).toBe(0);
  });

  it("is recalled with its outcome, while an id that was never sent is unknown", async () => {
    const { id } = await session.sendAndSettle(chatOf(carla), text("remember me"));
    const never = freshId();
    sendsOf(session.networkSession).recall(session.networkSession, [id, never]);
    expect(session.outcomesOf(id).at(-1)?.kind).toBe("acknowledged");
    expect(session.outcomesOf(never)).toEqual([{ kind: "unknown" }]);
  });

  it("was certainly not sent if the store did not answer before the socket closed, and may be requested again", async () => {
    const left = session.written;
    timeOut(60_000);
    const request = session.request(chatOf(carla), text("behind the gate"));
    const never = { kind: "refused", failure: { code: "unavailable" } };
    for (const refusals of [[never], [never, never]]) {
      const relayed = Promise.withResolvers<void>();
      const { promise: closed, resolve: close } = Promise.withResolvers<boolean>();
      session.written = () => {
        relayed.resolve();
        return closed;
      };
      // Holds the frame back, as the output gate does.
      world.network.faults.add({ phone: anna.pn, kind: "lose_send" });
      const ended = sendsOf(session.networkSession).send(session.ctx, request);
      await relayed.promise;
      expect(session.rows.has(`sent|${request.message_id}`)).toBe(true);
      // When a socket closes, the gate drops the frame and the sends end in the same step. An uncertain outcome would be final.
      close(false);
      sendsOf(session.networkSession).dropConnection(session.ctx);
      await ended;
      expect(session.outcomesOf(request.message_id)).toEqual(refusals);
      expect(session.rows.has(`sent|${request.message_id}`)).toBe(false);
    }
    session.written = left;
    await sendsOf(session.networkSession).send(session.ctx, request);
    expect(session.outcomesOf(request.message_id).at(-1)?.kind).toBe("acknowledged");
    timeOut(10_000);
  });

  it.each(["before the library returned", "while a later frame waited for the store"])(
    "is uncertain when the socket closed after its frame was written, %s",
    async (when) => {
      const { relayMessage } = session.sock;
      const [left, usual] = [session.written, session.mark];
      const relayed = Promise.withResolvers<void>();
      const returned = Promise.withResolvers<void>();
      const closed = Promise.withResolvers<boolean>();
      const isWritten = () => world.network.faults.list().length === 0;
      world.network.faults.add({ phone: anna.pn, kind: "lose_send", times: 1 });
      session.mark = () => isWritten;
      session.written = () => closed.promise;
      session.sock.relayMessage = async (...args) => {
        const id = await relayMessage(...args);
        relayed.resolve();
        await returned.promise;
        return id;
      };
      if (when.startsWith("while")) returned.resolve();
      const request = session.request(chatOf(carla), text("left, but nobody knows"));
      const ended = sendsOf(session.networkSession).send(session.ctx, request);
      await relayed.promise;
      await eventually("the network to have it", 60_000, isWritten);
      closed.resolve(false);
      sendsOf(session.networkSession).dropConnection(session.ctx);
      await ended;
      [session.written, session.mark] = [left, usual];
      session.sock.relayMessage = relayMessage;
      returned.resolve();
      expect(session.outcomesOf(request.message_id)).toEqual([{ kind: "uncertain" }]);
      expect(session.rows.has(`sent|${request.message_id}`)).toBe(true);
    },
  );

  it("stays settled as refused when its recipient's LID is found after the socket closed", async () => {
    const looked = Promise.withResolvers<void>();
    const { promise: found, resolve: find } = Promise.withResolvers<string | null>();
    const { lidMapping } = session.sock.signalRepository;
    const usual = lidMapping.getLIDForPN.bind(lidMapping);
    world.network.faults.add({ phone: anna.pn, kind: "refuse_send", code: 463, times: 1 });
    let looks = 0;
    lidMapping.getLIDForPN = async (jid) => {
      if ((looks += 1) === 1) return null;
      if (world.network.faults.list().length > 0) return usual(jid);
      looked.resolve();
      return found;
    };
    const request = session.request(chatOf(carla), text("the line broke during the look-up"));
    const ended = sendsOf(session.networkSession).send(session.ctx, request);
    await looked.promise;
    sendsOf(session.networkSession).dropConnection(session.ctx);
    await ended;
    session.rows.delete(`sent|${request.message_id}`);
    lidMapping.getLIDForPN = usual;
    find(`${world.network.directory.account(carla.pn)!.lid}@lid`);
    await session.sendAndSettle(chatOf(carla), text("after it"));
    expect(session.outcomesOf(request.message_id)).toMatchObject([{ kind: "refused", failure: { code: "temporarily_blocked" } }]);
    expect(session.rows.has(`sent|${request.message_id}`)).toBe(false);
  });

  it("is dropped before its caller's timeout if it is not ready in time", async () => {
    const usual = answerLookUps(() => new Promise(() => undefined));
    const request = session.request(`${freshNumber()}@c.us`, text("too busy to look the number up"));
    const deadlineMs = 2_000;
    const late = new Promise((resolve) => setTimeout(() => resolve("its caller was answered without it"), deadlineMs));
    const ended = sendsOf(session.networkSession).send(session.ctx, request, deadlineMs);
    expect(await Promise.race([ended, late])).toBeUndefined();
    usual();
    expect(session.outcomesOf(request.message_id)).toEqual([{ kind: "refused", failure: { code: "unavailable" } }]);
    expect(session.rows.has(`sent|${request.message_id}`)).toBe(false);
  });

  it("is settled when the socket closes", async () => {
    world.network.faults.add({ phone: anna.pn, kind: "lose_send" });
    const request = session.request(chatOf(carla), text("and then the line broke"));
    const ended = sendsOf(session.networkSession).send(session.ctx, request);
    await eventually("the network to have it", 60_000, () => world.network.faults.list().length === 0);
    await session.end();
    await ended;
    expect(session.outcomesOf(request.message_id)).toEqual([{ kind: "uncertain" }]);
    const late = session.request(chatOf(carla), text("too late"));
    await sendsOf(session.networkSession).send(session.ctx, late);
    expect(session.outcomesOf(late.message_id)).toEqual([{ kind: "refused", failure: { code: "unavailable" } }]);
  });
});

describe("a send to a group", () => {
  let world: World;
  afterEach(() => world.close());

  it("was certainly not sent if the socket closed during the library's key query", async () => {
    world = await openWorld();
    const { phone: anna, session } = await world.pair("Anna");
    const carla = await world.newPhone("Carla");
    const { group_id } = must(await carla.act((phone) => createGroup(phone, "Team", [anna.pn])));
    // For such a group, the library copies the attributes of the message before its queries.
    must(await carla.act((phone) => setGroup(phone, group_id, { disappearing_seconds: 86_400 })));
    await session.sendAndSettle(chatOf(await world.newPhone("Dora")), text("Our keys are uploaded."));
    // As if each frame that follows were written at once.
    session.mark = () => () => true;
    const { faults } = world.network;
    faults.add({ phone: anna.pn, kind: "swallow_answer", xmlns: "encrypt", times: 1 });
    const request = session.request(group_id, text("no keys yet"));
    const ended = sendsOf(session.networkSession).send(session.ctx, request);
    await eventually("the key query", 60_000, () => faults.list().length === 0);
    sendsOf(session.networkSession).dropConnection(session.ctx);
    await ended;
    expect(session.outcomesOf(request.message_id)).toEqual([refused("unavailable")]);
    expect(session.rows.has(`sent|${request.message_id}`)).toBe(false);
  });

  it.each([
    ["is refused", { kind: "refuse_send", code: 429, times: 1 }, "refused"],
    ["is repeated after a refusal", { kind: "refuse_send", code: 479, times: 1 }, "acknowledged"],
    ["is uncertain", { kind: "lose_send", times: 1 }, "uncertain"],
  ] as const)("leaves the group's key to the next message that is sent, if it %s", async (_how, fault, outcome) => {
    world = await openWorld();
    const { phone: anna, session } = await world.pair("Anna");
    const [carla, dora] = [await world.newPhone("Carla"), await world.newPhone("Dora")];
    const { group_id } = must(await carla.act((phone) => createGroup(phone, "Team", [anna.pn, dora.pn])));
    const { faults } = world.network;
    faults.add({ phone: anna.pn, ...fault });
    const request = session.request(group_id, text("the first message"));
    const ended = sendsOf(session.networkSession).send(session.ctx, request);
    await eventually("the network to have it", 60_000, () => faults.list().length === 0);
    if (outcome === "uncertain") sendsOf(session.networkSession).dropConnection(session.ctx);
    await ended;
    expect(session.outcomesOf(request.message_id)).toMatchObject([{ kind: outcome }]);
    const { id } = await session.sendAndSettle(group_id, text("the next message"));
    for (const phone of [carla, dora]) {
      await shown(phone, ({ message_id }) => message_id === id);
      expect(phone.deps.counters).toMatchObject({ undecryptable: 0, retriesAsked: 0 });
    }
  });

  it("is retried once with its members and their devices read again, when they had changed", async () => {
    world = await openWorld();
    const { phone: anna, session } = await world.pair("Anna");
    const [carla, dora] = [await world.newPhone("Carla"), await world.newPhone("Dora")];
    const { group_id } = must(await carla.act((phone) => createGroup(phone, "Team", [anna.pn, dora.pn])));
    const { id: first } = await session.sendAndSettle(group_id, text("the first message"));
    for (const phone of [carla, dora]) await shown(phone, ({ message_id }) => message_id === first);
    const asked: string[] = [];
    const { faults } = world.network;
    const onQuery = faults.onQuery.bind(faults);
    faults.onQuery = (device, iq) => {
      asked.push(JSON.stringify(iq));
      return onQuery(device, iq);
    };
    faults.add({ phone: anna.pn, kind: "refuse_send", code: 479, times: 1 });
    const { id, outcome } = await session.sendAndSettle(group_id, text("the second message"));
    expect(outcome.kind).toBe("acknowledged");
    const isNamed = (xmlns: string, name: string) => asked.some((iq) => iq.includes(xmlns) && iq.includes(name));
    expect(isNamed("w:g2", group_id)).toBe(true);
    for (const phone of [carla, dora]) {
      const { pn, lid } = world.network.directory.account(phone.pn)!;
      expect(isNamed("usync", pn) || isNamed("usync", lid)).toBe(true);
      await shown(phone, ({ message_id }) => message_id === id);
      expect(phone.deps.counters.undecryptable).toBe(0);
    }
  });
});
