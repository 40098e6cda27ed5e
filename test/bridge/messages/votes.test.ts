import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { sealVote } from "#root/test-network/phone/messages/poll-votes.ts";
import { decryptVote, Polls, pollsOf } from "#root/session-bridge/networks/baileys/memory/polls.ts";
import { eventually } from "../../support/eventually.ts";
import { chatOf, must, openWorld, shown, type World } from "./world.ts";

const creator = { phone: "5511900000001", lid: "100000000000001" };
const voter = { phone: "5511900000002", lid: "200000000000002" };
const jids = ({ phone, lid }: typeof voter): [byPhone: string, byLid: string] => [`${phone}@s.whatsapp.net`, `${lid}@lid`];

describe("a vote", () => {
  const pollSecret = randomBytes(32);
  const poll = { secret: pollSecret.toString("base64"), options: ["Yes", "No", "Maybe"], creator: null };

  it.each(jids(creator).flatMap((creatorJid) => jids(voter).map((voterJid) => [creatorJid, voterJid] as const)))(
    "is decrypted if it was made on a poll by %s and cast by %s",
    (creatorJid, voterJid) => {
      const vote = sealVote(["No", "Yes"], { pollId: "POLL", pollSecret, creatorJid, voterJid });
      expect(decryptVote({ pollId: "POLL", vote, own: creator, voter }, poll)).toEqual(["Yes", "No"]);
    },
  );

  it("selects nothing once it is withdrawn", () => {
    const vote = sealVote([], { pollId: "POLL", pollSecret, creatorJid: jids(creator)[0], voterJid: jids(voter)[1] });
    expect(decryptVote({ pollId: "POLL", vote, own: creator, voter }, poll)).toEqual([]);
  });

  it("is not decrypted for another poll or with another secret", () => {
    const context = { pollId: "OTHER", pollSecret, creatorJid: jids(creator)[0], voterJid: jids(voter)[0] };
    expect(decryptVote({ pollId: "POLL", vote: sealVote(["Yes"], context), own: creator, voter }, poll)).toBeNull();
    const forged = sealVote(["Yes"], { ...context, pollId: "POLL", pollSecret: randomBytes(32) });
    expect(decryptVote({ pollId: "POLL", vote: forged, own: creator, voter }, poll)).toBeNull();
    expect(decryptVote({ pollId: "POLL", vote: {}, own: creator, voter }, poll)).toBeNull();
  });
});

describe.each(["pn", "lid"] as const)("votes of people addressed by %s", (addressing) => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld({ addressing });
  });
  afterAll(() => world.close());

  it("are reported on own polls, also by a bridge that did not send them", async () => {
    const { phone: anna, session } = await world.pair("Anna");
    const carla = await world.newPhone("Carla");
    const poll = { question: "Where?", options: ["Here", "There"], selectable_count: 1 };
    const { id } = await session.sendAndSettle(chatOf(carla), { kind: "poll", poll });
    await shown(carla, ({ message_id }) => message_id === id);
    must(await carla.vote(anna.pn, id, ["There"]));
    expect(await session.waitForEvent("poll.vote", (event) => event.message_id === id)).toMatchObject({
      chat_id: chatOf(carla),
      voter: { phone: carla.pn },
      options: ["There"],
    });
    const dora = await world.newPhone("Dora");
    for (const messageId of [id, `own:${id}`]) {
      must(await dora.send(anna.pn, { type: "poll", ...poll, options: ["Another", "poll"] }, { messageId }));
      await session.waitForEvent("message.upsert", ({ message }) => message.message_id === messageId && !message.from_me);
    }
    // A new process has only the stored row.
    pollsOf.replace(session.networkSession, new Polls());
    must(await carla.vote(anna.pn, id, []));
    await session.waitForEvent("poll.vote", (event) => event.message_id === id && event.options.length === 0);
    const byThumb = must(await anna.send(carla.pn, { type: "poll", ...poll })).message_id;
    await session.received(byThumb);
    await shown(carla, ({ message_id }) => message_id === byThumb);
    must(await carla.vote(anna.pn, byThumb, ["Here"]));
    await session.waitForEvent("poll.vote", (event) => event.message_id === byThumb && event.options[0] === "Here");
  });

  it("are decrypted on polls of others too", async () => {
    const { phone: anna, session } = await world.pair("Berta");
    const carla = await world.newPhone("Carla");
    const theirs = must(await carla.send(anna.pn, { type: "poll", question: "?", options: ["a", "b"], selectable_count: 1 })).message_id;
    await session.received(theirs);
    must(await carla.vote(anna.pn, theirs, ["a"]));
    const byCarla = await session.waitForEvent("poll.vote", (event) => event.message_id === theirs && !event.from_me);
    expect(byCarla).toMatchObject({ voter: { phone: carla.pn }, options: ["a"] });
    must(await anna.vote(carla.pn, theirs, ["b"]));
    const byUs = await session.waitForEvent("poll.vote", (event) => event.message_id === theirs && event.from_me);
    expect(byUs).toMatchObject({ voter: null, options: ["b"] });
  });
});

it("an answer to an event invitation is only logged", async () => {
  const world = await openWorld();
  const { phone: anna, session } = await world.pair("Anna");
  const carla = await world.newPhone("Carla");
  const logged: unknown[] = [];
  vi.spyOn(session.ctx.logger, "info").mockImplementation((_facts: unknown, name?: string) => void logged.push(name));
  const party = { name: "Party", description: null, starts_at: 1_900_000_000, ends_at: null, location: null };
  const { id } = await session.sendAndSettle(chatOf(carla), { kind: "event", ...party, extra_guests: false, cancelled: false });
  await shown(carla, ({ message_id }) => message_id === id);
  const events = session.eventsOf("message.upsert").length;
  must(await carla.answerEvent(anna.pn, id, true));
  await eventually("the line", 60_000, () => logged.includes("event.answer_ignored"));
  expect(logged.filter((name) => name === "event.answer_ignored")).toHaveLength(1);
  expect(session.eventsOf("message.upsert")).toHaveLength(events);
  await world.close();
});
