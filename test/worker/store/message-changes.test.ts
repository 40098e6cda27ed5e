import { expect, it } from "vitest";
import type { NetworkEvent } from "../../../src/protocol/events.ts";
import { ANA, GROUP, T0, ana, bia, inWorld, newId, upsert } from "./world.ts";

const about = (of: ReturnType<typeof upsert>) => ({
  chat_id: of.message.chat_id,
  message_id: of.message.message_id,
  from_me: of.message.from_me,
});

it("keeps one reaction per person, the latest, and none once it is removed", () =>
  inWorld(({ told, stores }) => {
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
    told(event, react(ana, "👍", T0 + 1), react(bia, "🎉", T0 + 2), react(ana, "❤️", T0 + 3));
    expect(shown()).toEqual([
      { from_me: false, sender: bia, reaction: "🎉", timestamp: T0 + 2 },
      { from_me: false, sender: ana, reaction: "❤️", timestamp: T0 + 3 },
    ]);
    expect(told(react(ana, "", T0 + 5), react(ana, "late", T0 + 4))).toMatchObject([{ type: "message.reaction", reaction: "" }, {}]);
    expect(shown()).toMatchObject([{ sender: bia }]);
  }));

it("keeps a reaction that comes before its message, and names who reacts in a one-to-one chat", () =>
  inWorld(({ told, stores }) => {
    const event = upsert();
    const react: NetworkEvent = { type: "message.reaction", ...about(event), sender: null, reaction: "👍", timestamp: T0 + 1 };
    expect(told(react)).toMatchObject([{ type: "message.reaction", sender: ana, from_me: false }]);
    told(event);
    expect(stores.messageQueries.get(event.message.message_id, null)?.reactions).toEqual([
      { from_me: false, sender: ana, reaction: "👍", timestamp: T0 + 1 },
    ]);
  }));

it("shows the new text of an edited message, also when the edit comes first", () =>
  inWorld(({ told, stores }) => {
    const [known, late] = [upsert({ text: "Velho" }), upsert({ text: "Velho" })];
    const edit = (of: typeof known, text: string, timestamp: number): NetworkEvent => ({
      type: "message.edited",
      ...about(of),
      sender: ana,
      text,
      timestamp,
    });
    told(known);
    expect(told(edit(known, "Novo", T0 + 2))).toMatchObject([{ type: "message.edited", text: "Novo" }]);
    told(edit(known, "Atrasado", T0 + 1), edit(late, "Novo", T0 + 2), late);
    for (const { message } of [known, late]) {
      expect(stores.messageQueries.get(message.message_id, null)).toMatchObject({ text: "Novo", edited_at: (T0 + 2) * 1000 });
    }
  }));

it("refuses the edit of somebody else's message in a group", () =>
  inWorld(({ told, stores }) => {
    const event = upsert({ chat_id: GROUP, sender: ana });
    told(event);
    expect(told({ type: "message.edited", ...about(event), sender: bia, text: "Falso", timestamp: T0 + 1 })).toEqual([]);
    expect(stores.messageQueries.get(event.message.message_id, null)?.text).toBe("Oi");
  }));

it("forgets what a message said when it is deleted for everyone, also when the deletion comes first", () =>
  inWorld(({ told, stores }) => {
    const [known, late] = [upsert({ chat_id: GROUP, sender: ana }), upsert({ chat_id: GROUP, sender: ana })];
    const remove = (of: typeof known): NetworkEvent => ({
      type: "message.deleted",
      ...about(of),
      author: null,
      by: bia,
      timestamp: T0 + 2,
    });
    told(known);
    expect(told(remove(known))).toMatchObject([{ type: "message.deleted", author: ana, by: bia, from_me: false }]);
    told(remove(late), late);
    for (const { message } of [known, late]) {
      expect(stores.messageQueries.get(message.message_id, null)).toMatchObject({ text: null, deleted_at: (T0 + 2) * 1000 });
      expect(stores.messages.find(message.message_id, GROUP)).toMatchObject({ raw: null, deleted: true });
    }
  }));

it("refuses a deletion that a phone would refuse: by the other side, or by a member who is not an admin", () =>
  inWorld(({ told, stores }) => {
    const mine = upsert({ from_me: true }, "own_device");
    const hers = upsert({ chat_id: GROUP, sender: ana });
    const remove = (of: typeof mine, by: typeof ana): NetworkEvent => ({
      type: "message.deleted",
      ...about(of),
      author: null,
      by,
      timestamp: T0 + 2,
    });
    const member = (action: "join" | "promote"): NetworkEvent => ({
      type: "group.participants",
      chat_id: GROUP,
      action,
      participants: [{ person: bia, is_me: false }],
      by: null,
      reason: null,
      timestamp: T0,
    });
    told(mine, hers, member("join"));
    expect(told(remove(mine, ana), remove(hers, bia))).toEqual([]);
    expect(stores.messageQueries.get(mine.message.message_id, null)?.text).toBe("Oi");
    expect(stores.messageQueries.get(hers.message.message_id, null)?.text).toBe("Oi");
    told(member("promote"));
    expect(told(remove(hers, bia))).toMatchObject([{ type: "message.deleted", author: ana, by: bia }]);
  }));

it("takes every deletion of the number's own for what it is, wherever and whoever the author", () =>
  inWorld(({ told }) => {
    const me = { phone: "5511955554444", lid: "777000000000001" };
    const own = { phone: me.phone, profile_name: null, is_business: false, platform: null, timestamp: T0 };
    told({ type: "session.open", ...own, lid: me.lid });
    told({
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
    told(mine, note);
    for (const of of [mine, note]) {
      expect(told({ type: "message.deleted", ...about(of), author: null, by: me, timestamp: T0 + 2 })).toMatchObject([
        { type: "message.deleted", by: me },
      ]);
    }
  }));

it("remembers stars", () =>
  inWorld(({ happen, stores }) => {
    const [known, late] = [upsert(), upsert()];
    const star = (of: typeof known, starred: boolean): NetworkEvent => ({
      type: "message.starred",
      chat_id: ANA,
      message_id: of.message.message_id,
      starred,
    });
    happen(known, star(known, true), star(late, true), late);
    expect(stores.messageQueries.get(known.message.message_id, null)?.starred).toBe(true);
    expect(stores.messageQueries.get(late.message.message_id, null)?.starred).toBe(true);
    happen(star(known, false));
    expect(stores.messageQueries.get(known.message.message_id, null)?.starred).toBe(false);
  }));

const poll = { question: "Quando?", options: ["Hoje", "Amanhã"], selectable_count: 0 };

it("counts the votes on a poll: each person's latest choice, until it is withdrawn", () =>
  inWorld(({ told, stores }) => {
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
    told(event);
    expect(told(vote(ana, ["Hoje"], T0 + 1), vote(bia, ["Hoje", "Amanhã"], T0 + 2), vote(null, ["Hoje"], T0 + 3))).toMatchObject([
      { type: "poll.vote", voter: ana, options: ["Hoje"] },
      { type: "poll.vote", voter: bia, options: ["Hoje", "Amanhã"] },
    ]);
    expect(stores.votes.tally(GROUP, message_id)).toEqual([
      { option: "Hoje", votes: 3, voters: [ana, bia, null] },
      { option: "Amanhã", votes: 1, voters: [bia] },
    ]);
    told(vote(bia, [], T0 + 4), vote(ana, ["Amanhã"], T0 + 5));
    expect(stores.votes.tally(GROUP, message_id)).toMatchObject([{ votes: 1 }, { votes: 1, voters: [ana] }]);
    expect(stores.votes.tally(GROUP, newId())).toBeNull();
  }));

it("tells of votes only on polls that the number sent", () =>
  inWorld(({ told, stores }) => {
    const event = upsert({ chat_id: GROUP, sender: ana, type: "poll", poll });
    const { message_id } = event.message;
    told(event);
    expect(told({ type: "poll.vote", chat_id: GROUP, message_id, from_me: false, voter: bia, options: ["Hoje"], timestamp: T0 })).toEqual(
      [],
    );
    expect(stores.votes.tally(GROUP, message_id)?.[0]?.votes).toBe(1);
  }));
