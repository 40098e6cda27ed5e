import { expect, it } from "vitest";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import { ANA, GROUP, T0, ana, bia, withStores, newId, upsert } from "./world.ts";

const about = (target: ReturnType<typeof upsert>) => ({
  chat_id: target.message.chat_id,
  message_id: target.message.message_id,
  from_me: target.message.from_me,
});

/** Bia becomes an admin of the group. */
const promoted: NetworkEvent = {
  type: "group.participants",
  chat_id: GROUP,
  action: "promote",
  participants: [{ person: bia, is_me: false }],
  by: null,
  reason: null,
  timestamp: T0,
};

it("the store keeps one reaction per person, the latest, and none once it is removed", () =>
  withStores(({ emitted, stores }) => {
    const event = upsert({ chat_id: GROUP, sender: ana });
    const { message_id } = event.message;
    const react = (sender: typeof ana, reaction: string, timestamp: number): NetworkEvent => ({
      type: "message.reaction",
      chat_id: GROUP,
      message_id,
      from_me: false,
      sender,
      reaction,
      timestamp,
    });
    const shown = () => stores.messageQueries.get(message_id, null)?.reactions;
    emitted(event, react(ana, "👍", T0 + 1), react(bia, "🎉", T0 + 2), react(ana, "❤️", T0 + 3));
    expect(shown()).toEqual([
      { from_me: false, sender: bia, reaction: "🎉", timestamp: T0 + 2 },
      { from_me: false, sender: ana, reaction: "❤️", timestamp: T0 + 3 },
    ]);
    expect(emitted(react(ana, "", T0 + 5), react(ana, "late", T0 + 4))).toMatchObject([{ type: "message.reaction", reaction: "" }]);
    expect(shown()).toMatchObject([{ sender: bia }]);
  }));

it("the store keeps a reaction that arrives before its message, and names who reacts in a one-to-one chat", () =>
  withStores(({ emitted, stores }) => {
    const event = upsert();
    const react: NetworkEvent = { type: "message.reaction", ...about(event), sender: null, reaction: "👍", timestamp: T0 + 1 };
    expect(emitted(react)).toMatchObject([{ type: "message.reaction", sender: ana, from_me: false }]);
    emitted(event);
    expect(stores.messageQueries.get(event.message.message_id, null)?.reactions).toEqual([
      { from_me: false, sender: ana, reaction: "👍", timestamp: T0 + 1 },
    ]);
  }));

it("the store shows the new text of an edited message, also when the edit comes first", () =>
  withStores(({ emitted, stores }) => {
    const [known, late] = [upsert({ text: "Velho" }), upsert({ text: "Velho" })];
    const edit = (target: typeof known, text: string, timestamp: number): NetworkEvent => ({
      type: "message.edited",
      ...about(target),
      sender: ana,
      text,
      timestamp,
    });
    emitted(known);
    expect(emitted(edit(known, "Novo", T0 + 2))).toMatchObject([{ type: "message.edited", text: "Novo" }]);
    const told = emitted(edit(known, "Atrasado", T0 + 1), edit(late, "Novo", T0 + 2), edit(late, "Atrasado", T0 + 1), late);
    expect(told).toMatchObject([{ type: "message.edited", text: "Novo" }, { type: "message.received" }]);
    for (const { message } of [known, late]) {
      expect(stores.messageQueries.get(message.message_id, null)).toMatchObject({ text: "Novo", edited_at: (T0 + 2) * 1000 });
    }
  }));

it("the store refuses the edit of somebody else's message in a group", () =>
  withStores(({ emitted, stores }) => {
    const event = upsert({ chat_id: GROUP, sender: ana });
    emitted(event);
    expect(emitted({ type: "message.edited", ...about(event), sender: bia, text: "Falso", timestamp: T0 + 1 })).toEqual([]);
    expect(stores.messageQueries.get(event.message.message_id, null)?.text).toBe("Oi");
  }));

it("the store removes the content of a message deleted for everyone, also when the deletion arrives first", () =>
  withStores(({ emitted, stores }) => {
    const [known, late] = [upsert({ chat_id: GROUP, sender: ana }), upsert({ chat_id: GROUP, sender: ana })];
    const remove = (target: typeof known): NetworkEvent => ({
      type: "message.deleted",
      ...about(target),
      author: null,
      by: bia,
      timestamp: T0 + 2,
    });
    emitted(known, promoted);
    expect(emitted(remove(known))).toMatchObject([{ type: "message.deleted", author: ana, by: bia, from_me: false }]);
    emitted(remove(late), late);
    for (const { message } of [known, late]) {
      expect(stores.messageQueries.get(message.message_id, null)).toMatchObject({ text: null, deleted_at: (T0 + 2) * 1000 });
      expect(stores.messages.find(message.message_id, GROUP)).toMatchObject({ raw: null, deleted: true });
    }
    expect(emitted({ type: "message.edited", ...about(known), sender: ana, text: "Tarde", timestamp: T0 + 3 })).toEqual([]);
  }));

it("the store refuses a deletion that a phone would refuse: by the other side, or by a member who is not an admin", () =>
  withStores(({ emitted, stores }) => {
    const mine = upsert({ from_me: true }, "own_device");
    const hers = upsert({ chat_id: GROUP, sender: ana });
    const remove = (target: typeof mine, by: typeof ana): NetworkEvent => ({
      type: "message.deleted",
      ...about(target),
      author: null,
      by,
      timestamp: T0 + 2,
    });
    emitted(mine, hers, { ...promoted, action: "join" });
    expect(emitted(remove(mine, ana), remove(hers, bia))).toEqual([]);
    expect(stores.messageQueries.get(mine.message.message_id, null)?.text).toBe("Oi");
    expect(stores.messageQueries.get(hers.message.message_id, null)?.text).toBe("Oi");
    emitted(promoted);
    expect(emitted(remove(hers, bia))).toMatchObject([{ type: "message.deleted", author: ana, by: bia }]);
  }));

it("the store applies every deletion by the number itself, in any chat and of any author", () =>
  withStores(({ emitted }) => {
    const me = { phone: "5511955554444", lid: "777000000000001" };
    const own = { phone: me.phone, profile_name: null, is_business: false, platform: null, timestamp: T0 };
    emitted({ type: "session.open", ...own, lid: me.lid });
    emitted({
      type: "group.participants",
      chat_id: GROUP,
      action: "join",
      participants: [{ person: me, is_me: true }],
      by: null,
      reason: null,
      timestamp: T0,
    });
    const mine = upsert({ chat_id: GROUP, from_me: true }, "own_device");
    const note = upsert({ chat_id: `${me.phone}@c.us`, from_me: true }, "own_device");
    emitted(mine, note);
    for (const target of [mine, note]) {
      expect(emitted({ type: "message.deleted", ...about(target), author: null, by: me, timestamp: T0 + 2 })).toMatchObject([
        { type: "message.deleted", by: me },
      ]);
    }
  }));

it("the store keeps stars", () =>
  withStores(({ apply, stores }) => {
    const [known, late] = [upsert(), upsert()];
    const star = (target: typeof known, starred: boolean): NetworkEvent => ({
      type: "message.starred",
      chat_id: ANA,
      message_id: target.message.message_id,
      starred,
    });
    apply(known, star(known, true), star(late, true), late);
    expect(stores.messageQueries.get(known.message.message_id, null)?.starred).toBe(true);
    expect(stores.messageQueries.get(late.message.message_id, null)?.starred).toBe(true);
    apply(star(known, false));
    expect(stores.messageQueries.get(known.message.message_id, null)?.starred).toBe(false);
  }));

const poll = { question: "Quando?", options: ["Hoje", "Amanhã"], selectable_count: 0 };

it("the store counts the votes on a poll: each person's latest choice, until it is withdrawn", () =>
  withStores(({ emitted, stores }) => {
    const event = upsert({ chat_id: GROUP, from_me: true, type: "poll", poll }, "own_device");
    const { message_id } = event.message;
    const vote = (voter: typeof ana | null, options: string[], timestamp: number): NetworkEvent => ({
      type: "poll.vote",
      chat_id: GROUP,
      message_id,
      from_me: voter === null,
      voter,
      options,
      timestamp,
    });
    emitted(event);
    expect(emitted(vote(ana, ["Hoje"], T0 + 1), vote(bia, ["Hoje", "Amanhã"], T0 + 2), vote(null, ["Hoje"], T0 + 3))).toMatchObject([
      { type: "poll.vote", voter: ana, options: ["Hoje"] },
      { type: "poll.vote", voter: bia, options: ["Hoje", "Amanhã"] },
    ]);
    expect(stores.votes.tally(GROUP, message_id)).toEqual([
      { option: "Hoje", votes: 3, voters: [ana, bia, null] },
      { option: "Amanhã", votes: 1, voters: [bia] },
    ]);
    emitted(vote(bia, [], T0 + 4), vote(ana, ["Amanhã"], T0 + 5));
    expect(emitted(vote(ana, ["Hoje"], T0 + 4))).toEqual([]);
    expect(stores.votes.tally(GROUP, message_id)).toMatchObject([{ votes: 1 }, { votes: 1, voters: [ana] }]);
    expect(stores.votes.tally(GROUP, newId())).toBeNull();
  }));

it("the store emits votes only on polls that the number sent", () =>
  withStores(({ emitted, stores }) => {
    const event = upsert({ chat_id: GROUP, sender: ana, type: "poll", poll });
    const { message_id } = event.message;
    emitted(event);
    expect(
      emitted({ type: "poll.vote", chat_id: GROUP, message_id, from_me: false, voter: bia, options: ["Hoje"], timestamp: T0 }),
    ).toEqual([]);
    expect(stores.votes.tally(GROUP, message_id)?.[0]?.votes).toBe(1);
  }));
