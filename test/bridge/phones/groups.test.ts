import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createChannel, followChannel, listChannels } from "#root/test-network/phone/channels.ts";
import {
  changeMembers,
  createGroup,
  decideRequests,
  describeGroup,
  joinGroup,
  leaveGroup,
  listGroups,
  renameGroup,
  setGroup,
  viewGroup,
} from "#root/test-network/phone/groups.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import type { BaileysClient } from "../../support/bridge/baileys-client.ts";
import { eventually } from "../../support/eventually.ts";
import { jidOf, must, openWorld, shown, type World } from "./world.ts";

const STATUS = "status@broadcast";

describe.each(["pn", "lid"] as const)("groups that name people by %s", (groupAddressing) => {
  let world: World;
  let anas: SimulatedPhone;
  let bob: SimulatedPhone;
  let eva: SimulatedPhone;
  let ana: BaileysClient;
  beforeAll(async () => {
    // The unmodified client uses formats that a strict network refuses.
    world = await openWorld({ groupAddressing, strict: false });
    ({ phone: anas, client: ana } = await world.pair("Ana"));
    [bob, eva] = [await world.newPhone("Bob"), await world.newPhone("Eva")];
  });
  afterAll(() => world.close());

  const newGroup = async (by: SimulatedPhone, ...others: SimulatedPhone[]) => {
    return must(
      await by.act((deps) =>
        createGroup(
          deps,
          "Team",
          others.map(({ pn }) => pn),
        ),
      ),
    ).group_id;
  };

  it("carry messages from the linked device to every phone, and back", async () => {
    const { id: group } = await ana.sock.groupCreate("Team", [jidOf(bob), jidOf(eva)]);
    const sent = await ana.send(group, { text: "hello team" });
    for (const phone of [bob, eva]) {
      const record = await shown(phone, ({ message_id }) => message_id === sent.key.id);
      expect(record).toMatchObject({ chat_id: group, from: anas.pn, from_me: false, text: "hello team" });
    }
    expect(await shown(anas, ({ message_id }) => message_id === sent.key.id)).toMatchObject({ from_me: true, chat_id: group });
    const { message_id } = must(await eva.sendText(group, "hello from Eva"));
    expect((await ana.message(message_id)).message?.conversation).toBe("hello from Eva");
    await shown(bob, (record) => record.message_id === message_id && record.from === eva.pn);
  });

  it("carry a second message under the sender key that every member has by then", async () => {
    const group = await newGroup(bob, anas, eva);
    must(await bob.sendText(group, "one"));
    const { message_id } = must(await bob.sendText(group, "two"));
    expect((await ana.message(message_id)).message?.conversation).toBe("two");
    await shown(eva, (record) => record.message_id === message_id);
    expect(eva.deps.counters).toMatchObject({ undecryptable: 0 });
  });

  it("hide messages from people who left, and show them to people who join", async () => {
    const group = await newGroup(bob, anas, eva);
    must(await bob.sendText(group, "all of us"));
    await shown(eva, ({ text }) => text === "all of us");
    must(await bob.act((deps) => changeMembers(deps, group, "remove", [eva.pn])));
    must(await bob.sendText(group, "without Eva"));
    await ana.saw("messages.upsert", ({ messages }) => messages.find(({ message }) => message?.conversation === "without Eva"));
    const eli = await world.newPhone("Eli");
    must(await bob.act((deps) => changeMembers(deps, group, "add", [eli.pn])));
    must(await bob.sendText(group, "with Eli"));
    await shown(eli, ({ text }) => text === "with Eli");
    await eva.idle();
    expect(eva.inbox(group).map(({ text }) => text)).toEqual(["all of us"]);
    expect(await eva.sendText(group, "let me in")).toMatchObject({ ok: false, code: "not_a_member" });
  });

  it("take reactions, quotes, edits, deletions and votes", async () => {
    const group = await newGroup(bob, anas, eva);
    const poll = await ana.send(group, { poll: { name: "When?", values: ["Mon", "Tue"], selectableCount: 2 } });
    await shown(eva, ({ message_id }) => message_id === poll.key.id);
    must(await eva.vote(group, poll.key.id ?? "", ["Tue", "Mon"]));
    await eventually("the vote at Bob", 60_000, () =>
      bob.inbox(group)[0]?.poll_votes.some(({ from, options }) => from === eva.pn && options.length === 2),
    );
    const { message_id } = must(await eva.sendText(group, "I said two"));
    const seen = await ana.message(message_id);
    await ana.send(group, { react: { text: "😀", key: seen.key } });
    await shown(eva, (record) => record.message_id === message_id && record.reactions.some(({ from }) => from === anas.pn));
    const quote = await ana.send(group, { text: "indeed" }, { quoted: seen });
    await shown(bob, (record) => record.message_id === quote.key.id && record.quoted_id === message_id);
    // Bob created the group: an admin may delete others' messages.
    must(await bob.delete(group, message_id));
    await shown(eva, (record) => record.message_id === message_id && record.deleted);
    expect(await eva.delete(group, quote.key.id ?? "")).toMatchObject({ ok: false, code: "not_own_message" });
  });

  it("mention people by number", async () => {
    const group = await newGroup(bob, anas, eva);
    const sent = await ana.send(group, { text: "@you", mentions: [jidOf(eva)] });
    expect((await shown(eva, ({ message_id }) => message_id === sent.key.id)).mentions).toEqual([eva.pn]);
    const { message_id } = must(await eva.sendText(group, "@me?", { mentions: [anas.pn] }));
    expect((await ana.message(message_id)).message?.extendedTextMessage?.contextInfo?.mentionedJid).toEqual([jidOf(anas)]);
  });

  it("change in every way, and the linked device hears of it", async () => {
    const group = await newGroup(bob, anas, eva);
    const update = (key: string, value: unknown) =>
      ana.saw("groups.update", (list) => list.find((one) => one.id === group && (one as Record<string, unknown>)[key] === value));
    must(await bob.act((deps) => renameGroup(deps, group, "New name")));
    await update("subject", "New name");
    must(await bob.act((deps) => describeGroup(deps, group, "What it is for")));
    await update("desc", "What it is for");
    // Sent one after the other, because the library reports only the first of two simultaneous changes.
    must(await bob.act((deps) => setGroup(deps, group, { announce: true })));
    await update("announce", true);
    must(await bob.act((deps) => setGroup(deps, group, { locked: true })));
    await update("restrict", true);
    must(await bob.act((deps) => changeMembers(deps, group, "promote", [eva.pn])));
    await ana.saw("group-participants.update", ({ id, action }) => id === group && action === "promote");
    expect(viewGroup(anas.deps, group)).toMatchObject({
      subject: "New name",
      description: "What it is for",
      announce: true,
      locked: true,
    });
    expect(await anas.act((deps) => renameGroup(deps, group, "No admin"))).toMatchObject({ ok: false, status: 403 });
    must(await eva.act((deps) => leaveGroup(deps, group)));
    await ana.saw("group-participants.update", ({ id, action }) => id === group && action === "remove");
    expect(listGroups(eva.deps).map(({ group_id }) => group_id)).not.toContain(group);
  });

  it("let people in by invitation, after an admin agreed where that is required", async () => {
    const group = await newGroup(bob, anas);
    const code = viewGroup(bob.deps, group)?.invite_code ?? "";
    expect(must(await eva.act((deps) => joinGroup(deps, code)))).toEqual({ group_id: group, pending: false });
    must(await bob.act((deps) => setGroup(deps, group, { join_approval: true })));
    const eli = await world.newPhone("Eli");
    expect(must(await eli.act((deps) => joinGroup(deps, code)))).toEqual({ group_id: group, pending: true });
    expect(viewGroup(bob.deps, group)?.requests).toEqual([eli.pn]);
    must(await bob.act((deps) => decideRequests(deps, group, "approve", [eli.pn])));
    expect(viewGroup(bob.deps, group)?.participants.map(({ phone }) => phone)).toContain(eli.pn);
  });

  it("leave status posts to the people they are for", async () => {
    const { message_id } = must(await eva.sendText(STATUS, "on holiday", { audience: [anas.pn, bob.pn] }));
    expect((await ana.message(message_id)).key.remoteJid).toBe(STATUS);
    expect(await shown(bob, (record) => record.message_id === message_id)).toMatchObject({ chat_id: STATUS, from: eva.pn });
    const post = await ana.send(STATUS, { text: "back at work" }, { statusJidList: [jidOf(eva)], backgroundColor: "#112233", font: 1 });
    expect(await shown(eva, (record) => record.message_id === post.key.id)).toMatchObject({
      chat_id: STATUS,
      from: anas.pn,
      text: "back at work",
      style: { background: "#FF112233", font: 1 },
    });
    expect(bob.inbox(STATUS).some((record) => record.message_id === post.key.id)).toBe(false);
  });

  it("leave channel posts to the people who follow the channel", async () => {
    const { channel_id: channel } = must(await bob.act((deps) => createChannel(deps, "News", "All of it")));
    await ana.sock.newsletterFollow(channel);
    must(await eva.act((deps) => followChannel(deps, channel, true)));
    const { message_id } = must(await bob.sendText(channel, "extra, extra"));
    expect((await ana.message(message_id)).message?.conversation).toBe("extra, extra");
    expect(await shown(eva, (record) => record.message_id === message_id)).toMatchObject({ chat_id: channel, text: "extra, extra" });
    expect(listChannels(eva.deps).find(({ channel_id }) => channel_id === channel)).toMatchObject({
      name: "News",
      role: "subscriber",
      followers: 3,
    });
    must(await eva.act((deps) => followChannel(deps, channel, false)));
    expect(listChannels(eva.deps).some(({ channel_id }) => channel_id === channel)).toBe(false);
  });
});
