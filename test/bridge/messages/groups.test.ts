import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { randomBytes } from "node:crypto";
import {
  changeMembers,
  createGroup,
  decideRequests,
  describeGroup,
  joinGroup,
  leaveGroup,
  renameGroup,
  setGroup,
  viewGroup,
} from "#root/test-network/phone/groups.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import type { SendContent } from "@gateway/protocol/content.ts";
import { fetchSent } from "#root/session-bridge/networks/baileys/durability/sent-messages.ts";
import { groupsOf } from "#root/session-bridge/networks/baileys/memory/group-cache.ts";
import { eventually } from "../../support/eventually.ts";
import type { Session, EventOf } from "./session.ts";
import { must, openWorld, shown, type World } from "./world.ts";

const text = (words: string): SendContent => ({ kind: "text", text: words, preview: null });
const person = ({ pn }: { pn: string }) => ({ phone: pn });

describe.each(["pn", "lid"] as const)("in a group whose members are addressed by %s", (groupAddressing) => {
  let world: World;
  let anna: SimulatedPhone, carla: SimulatedPhone, dora: SimulatedPhone, enzo: SimulatedPhone;
  let session: Session;
  let group: string;

  beforeAll(async () => {
    world = await openWorld({ groupAddressing });
    ({ phone: anna, session } = await world.pair("Anna"));
    [carla, dora, enzo] = [await world.newPhone("Carla"), await world.newPhone("Dora"), await world.newPhone("Enzo")];
    group = must(await carla.act((phone) => createGroup(phone, "Team", [anna.pn, dora.pn]))).group_id;
  });
  afterAll(() => world.close());

  const waitFor = <T extends NetworkEvent["type"]>(type: T, suits: (event: EventOf<T>) => boolean) => session.waitForEvent(type, suits);
  const participants = (action: string, phone: SimulatedPhone) =>
    waitFor("group.participants", (event) => event.action === action && event.participants.some((one) => one.person.phone === phone.pn));

  it("being added reports the group and its members", async () => {
    const { group: snapshot } = await waitFor("group.snapshot", (event) => event.group.group_id === group);
    expect(snapshot).toMatchObject({ subject: "Team", owner: person(carla), is_announcement_group: false });
    expect(Object.fromEntries(snapshot.participants.map((one) => [one.person.phone, one.role]))).toEqual({
      [anna.pn]: "member",
      [carla.pn]: "superadmin",
      [dora.pn]: "member",
    });
    expect(await participants("join", anna)).toMatchObject({
      chat_id: group,
      by: person(carla),
      reason: "added",
      participants: [{ is_me: true }],
    });
  });

  it("messages name their sender by phone", async () => {
    const { message_id } = must(await dora.sendText(group, "hello all", { mentions: [anna.pn] }));
    const message = await session.received(message_id);
    expect(message).toMatchObject({ chat_id: group, sender: person(dora), from_me: false, text: "hello all", mentions: [person(anna)] });
  });

  it("sends arrive, and receipts name the participant", async () => {
    const { id, outcome } = await session.sendAndSettle(group, text(`hi @${dora.pn}`), { mentions: [{ phone: dora.pn, lid: null }] });
    expect(outcome).toMatchObject({ kind: "acknowledged", message: { chat_id: group, text: `hi @${dora.pn}`, mentions: [person(dora)] } });
    const record = await shown(dora, ({ message_id }) => message_id === id);
    expect(record.mentions).toEqual([dora.pn]);
    const status = (phone: SimulatedPhone, wanted: string) =>
      waitFor("message.status", (event) => event.message_id === id && event.status === wanted && event.participant?.phone === phone.pn);
    await Promise.all([status(carla, "delivered"), status(dora, "delivered")]);
    await dora.read(group);
    expect(await status(dora, "read")).toMatchObject({ chat_id: group });
  });

  it("mentions leave a longer number alone that begins with a mentioned one", async () => {
    const longer = `${dora.pn}7`;
    const mentions = [{ phone: dora.pn, lid: null }];
    const { id, outcome } = await session.sendAndSettle(group, text(`@${dora.pn} lost @${longer}`), { mentions });
    expect(outcome).toMatchObject({ message: { text: `@${dora.pn} lost @${longer}`, mentions: [person(dora)] } });
    const record = await shown(dora, ({ message_id }) => message_id === id);
    expect(record.text).toContain(`lost @${longer}`);
  });

  it("a played voice note is reported as played", async () => {
    const media = session.media.keep(randomBytes(500), "audio/ogg; codecs=opus");
    const { id } = await session.sendAndSettle(group, { kind: "voice", media, convert: false });
    await shown(dora, ({ message_id }) => message_id === id);
    await dora.play(group);
    const played = await waitFor("message.status", (event) => event.message_id === id && event.status === "played");
    expect(played).toMatchObject({ chat_id: group, participant: person(dora) });
  });

  it("reactions, quotes and deletions name the right person", async () => {
    const { message_id } = must(await dora.sendText(group, "quote me here"));
    const source = await session.received(message_id);
    const target = { chat_id: group, message_id, from_me: false, participant: { phone: dora.pn, lid: null } };
    await session.sendAndSettle(group, { kind: "reaction", target, reaction: "👏" });
    await shown(dora, (record) => record.message_id === message_id && record.reactions.some(({ reaction }) => reaction === "👏"));
    const { id } = await session.sendAndSettle(group, text("quoting"), { quoted: { raw: source.raw ?? "", ref: target } });
    expect((await shown(dora, (record) => record.message_id === id)).quoted_id).toBe(message_id);
    must(await dora.react(group, id, "🙂"));
    expect(await waitFor("message.reaction", (event) => event.message_id === id)).toMatchObject({ sender: person(dora), from_me: false });
    must(await dora.delete(group, message_id));
    expect(await waitFor("message.deleted", (event) => event.message_id === message_id)).toMatchObject({
      author: person(dora),
      by: person(dora),
      from_me: false,
    });
  });

  it("a vote on our poll is decrypted", async () => {
    const poll = { question: "Lunch?", options: ["Yes", "No", "Maybe"], selectable_count: 2 };
    const { id } = await session.sendAndSettle(group, { kind: "poll", poll });
    await shown(dora, ({ message_id }) => message_id === id);
    must(await dora.vote(group, id, ["Maybe", "Yes"]));
    expect(await waitFor("poll.vote", (event) => event.message_id === id)).toMatchObject({
      chat_id: group,
      voter: person(dora),
      from_me: false,
      options: ["Yes", "Maybe"],
    });
  });

  it("joins and departures are reported with actor and reason", async () => {
    must(await carla.act((phone) => changeMembers(phone, group, "add", [enzo.pn])));
    expect(await participants("join", enzo)).toMatchObject({
      by: person(carla),
      reason: "added",
      participants: [{ person: person(enzo), is_me: false }],
    });
    must(await carla.act((phone) => changeMembers(phone, group, "promote", [dora.pn])));
    expect(await participants("promote", dora)).toMatchObject({ by: person(carla), reason: null });
    must(await carla.act((phone) => changeMembers(phone, group, "demote", [dora.pn])));
    await participants("demote", dora);
    must(await carla.act((phone) => changeMembers(phone, group, "remove", [enzo.pn])));
    expect(await participants("leave", enzo)).toMatchObject({ by: person(carla), reason: "removed" });
    const code = (await carla.act((phone) => viewGroup(phone, group)))?.invite_code ?? "";
    must(await enzo.act((phone) => joinGroup(phone, code)));
    await waitFor(
      "group.participants",
      (event) => event.reason === "invite_link" && event.participants.some((one) => one.person.phone === enzo.pn),
    );
    must(await enzo.act((phone) => leaveGroup(phone, group)));
    await waitFor(
      "group.participants",
      (event) => event.reason === "left" && event.participants.some((one) => one.person.phone === enzo.pn),
    );
    // A removed member stops receiving messages; an added one starts to.
    const { id } = await session.sendAndSettle(group, text("without Enzo"));
    await shown(dora, ({ message_id }) => message_id === id);
    expect(enzo.inbox().some(({ message_id }) => message_id === id)).toBe(false);
  });

  it("an approved request is reported as such", async () => {
    const fabia = await world.newPhone("Fabia");
    must(await carla.act((phone) => setGroup(phone, group, { join_approval: true })));
    const code = (await carla.act((phone) => viewGroup(phone, group)))?.invite_code ?? "";
    must(await fabia.act((phone) => joinGroup(phone, code)));
    must(await carla.act((phone) => decideRequests(phone, group, "approve", [fabia.pn])));
    expect(await participants("join", fabia)).toMatchObject({ by: person(carla), reason: "request_approved" });
  });

  it("changes are reported, and nothing else", async () => {
    const changed = (suits: (changed: EventOf<"group.updated">["changed"]) => boolean) =>
      waitFor("group.updated", (event) => event.chat_id === group && suits(event.changed));
    must(await carla.act((phone) => renameGroup(phone, group, "New name")));
    expect(await changed(({ subject }) => subject === "New name")).toMatchObject({ by: person(carla), changed: { subject: "New name" } });
    must(await carla.act((phone) => describeGroup(phone, group, "What we do")));
    await changed(({ description }) => description === "What we do");
    must(await carla.act((phone) => describeGroup(phone, group, "")));
    await changed(({ description }) => description === null);
    must(
      await carla.act((phone) =>
        setGroup(phone, group, { announce: true, locked: true, member_add_mode: "all_member_add", disappearing_seconds: 86_400 }),
      ),
    );
    await changed(({ messages_admins_only }) => messages_admins_only === true);
    await changed(({ info_admins_only }) => info_admins_only === true);
    await changed(({ members_can_add }) => members_can_add === true);
    await changed(({ disappearing_seconds }) => disappearing_seconds === 86_400);
    expect(session.eventsOf("group.updated").every(({ changed: one }) => Object.keys(one).length === 1)).toBe(true);
    must(await carla.act((phone) => setGroup(phone, group, { announce: false, disappearing_seconds: 0 })));
    await changed(({ disappearing_seconds }) => disappearing_seconds === 0);
  });

  it("messages no longer disappear once a member turned our timer off", async () => {
    const timerOf = async (words: string) => {
      const { id } = await session.sendAndSettle(group, text(words));
      const sent = (await fetchSent(session.networkSession.rows, id))?.message;
      return sent?.extendedTextMessage?.contextInfo?.expiration ?? 0;
    };
    must(await carla.act((phone) => setGroup(phone, group, { locked: false })));
    const { outcome } = await session.sendAndSettle(group, { kind: "disappearing", seconds: 604_800 });
    expect(outcome).toMatchObject({ kind: "acknowledged", message: { type: "disappearing" } });
    expect(await timerOf("for a week")).toBe(604_800);
    const reported = session.eventsOf("group.updated").length;
    must(await carla.act((phone) => setGroup(phone, group, { disappearing_seconds: 0 })));
    await eventually("the change", 60_000, () =>
      session
        .eventsOf("group.updated")
        .slice(reported)
        .some(({ changed }) => changed.disappearing_seconds === 0),
    );
    expect(await timerOf("to stay")).toBe(0);
    // The group is read again, and its own entry then has no timer.
    groupsOf(session.networkSession).forget(group);
    expect(await timerOf("to stay, too")).toBe(0);
  });

  it("being removed is reported, and the group is removed", async () => {
    must(await carla.act((phone) => changeMembers(phone, group, "remove", [anna.pn])));
    expect(await participants("leave", anna)).toMatchObject({ reason: "removed", participants: [{ is_me: true }] });
    await waitFor("group.removed", ({ group_id }) => group_id === group);
    expect((await session.sendAndSettle(group, text("no more"))).outcome).toMatchObject({ kind: "refused" });
  });

  it("no person is named by LID alone", () => {
    const lids = new Set([anna, carla, dora, enzo].map(({ pn }) => world.network.directory.account(pn)?.lid));
    const events = JSON.stringify(
      session.events.map(({ event }) => event),
      (key, value) => (key === "raw" || key === "lid" ? undefined : value),
    );
    for (const lid of lids) expect(events).not.toContain(lid);
  });
});
