// Chats changed through the bridge, as seen on the owner's phone and on others.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listChats, viewChat } from "#root/test-network/phone/chats.ts";
import { createGroup } from "#root/test-network/phone/groups.ts";
import { presenceOf } from "#root/test-network/phone/presence.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import type { MessageRange } from "@gateway/protocol/commands.ts";
import type { NetworkMessage } from "@gateway/protocol/message.ts";
import { eventually } from "../../support/eventually.ts";
import type { Session, EventOf } from "../messages/session.ts";
import { chatOf, freshNumber, must, openWorld, shown, type World } from "../messages/world.ts";
import { run, runOk, refusal } from "./run-command.ts";

const TIMEOUT_MS = 60_000;

const dated = ({ chat_id, message_id, from_me, sender, timestamp }: NetworkMessage): MessageRange[number] => ({
  ref: { chat_id, message_id, from_me, participant: chat_id.endsWith("@g.us") ? sender : null },
  timestamp,
});

describe.each(["pn", "lid"] as const)("a chat on a network that addresses by %s", (addressing) => {
  let world: World;
  let anna: SimulatedPhone, carla: SimulatedPhone;
  let session: Session;
  let first: NetworkMessage;
  beforeAll(async () => {
    world = await openWorld({ addressing, groupAddressing: addressing });
    ({ phone: anna, session } = await world.pair("Anna"));
    carla = await world.newPhone("Carla");
    first = await received("the first message");
  });
  afterAll(() => world.close());

  const chat = () => viewChat(anna.deps, chatOf(carla));
  const become = (what: string, is: () => boolean) => eventually(what, TIMEOUT_MS, is);
  const reported = (suits: (event: EventOf<"chat.updated">) => boolean) =>
    session.eventsOf("chat.updated").some((event) => event.chat_id === chatOf(carla) && suits(event));
  /** A message from Carla, on the phone and in the session. */
  async function received(text: string): Promise<NetworkMessage> {
    const { message_id } = must(await carla.sendText(anna.pn, text));
    await shown(anna, (record) => record.message_id === message_id);
    return session.received(message_id);
  }

  it("is archived and unarchived, on the phone too", async () => {
    for (const archived of [true, false]) {
      await runOk(session, "chats.archive", { chat_id: chatOf(carla), archived, range: [dated(first)] });
      expect(
        reported((event) => event.archived === archived),
        "reported before the answer",
      ).toBe(true);
      await become(`archived ${archived}`, () => chat().archived === archived);
    }
  });

  it("is pinned and unpinned", async () => {
    for (const pinned of [true, false]) {
      await runOk(session, "chats.pin", { chat_id: chatOf(carla), pinned });
      expect(reported((event) => event.pinned === pinned)).toBe(true);
      await become(`pinned ${pinned}`, () => chat().pinned === pinned);
    }
  });

  it("is muted for a time, for ever, and unmuted", async () => {
    for (const until of [1_999_999_999, -1, null]) {
      await runOk(session, "chats.mute", { chat_id: chatOf(carla), until });
      expect(reported((event) => event.muted_until === until)).toBe(true);
      await become(`muted until ${until}`, () => chat().muted_until === until);
    }
  });

  it("is marked as unread, and as read: the author's phone shows the read receipt", async () => {
    await become("unread at the phone", () => chat().unread_count === 1);
    await runOk(session, "chats.unread", { chat_id: chatOf(carla), range: [dated(first)] });
    await become("marked at the phone", () => chat().marked_unread);
    await runOk(session, "chats.seen", { chat_id: chatOf(carla), unread: [dated(first).ref], range: [dated(first)] });
    expect(reported((event) => event.unread_count === 0 && event.marked_unread === false)).toBe(true);
    await become("read at the phone", () => chat().unread_count === 0 && !chat().marked_unread);
    await eventually("read at the author's", TIMEOUT_MS, () =>
      carla.deps.receipts.list(first.message_id).some(({ from, kind }) => from === anna.pn && kind === "read"),
    );
  });

  it("keeps messages newer than the range of a change", async () => {
    await eventually("a later second", 60_000, () => Date.now() / 1000 >= first.timestamp + 1);
    const later = await received("not seen yet");
    expect(later.timestamp).toBeGreaterThan(first.timestamp);
    await runOk(session, "chats.seen", { chat_id: chatOf(carla), unread: [dated(first).ref], range: [dated(first)] });
    await runOk(session, "chats.delete", { chat_id: chatOf(carla), range: [dated(first)] });
    await become("only the later one is left", () => anna.inbox(chatOf(carla)).length === 1);
    expect(chat()).toMatchObject({ unread_count: 1, deleted_at: null, last_message: { message_id: later.message_id } });
  });

  it("is deleted on the phone", async () => {
    const last = await received("the last message");
    await runOk(session, "chats.delete", { chat_id: chatOf(carla), range: [dated(last)] });
    expect(session.eventsOf("chat.deleted")).toContainEqual({ type: "chat.deleted", chat_id: chatOf(carla) });
    await become("deleted at the phone", () => chat().deleted_at !== null && anna.inbox(chatOf(carla)).length === 0);
  });

  it("is changed despite a concurrent change on the phone", async () => {
    const last = await received("both at once");
    const range = [dated(last)];
    const [ours] = await Promise.all([
      run(session, "chats.archive", { chat_id: chatOf(carla), archived: true, range }),
      anna.modify({ pin: true }, chatOf(carla)),
      anna.modify({ markRead: false, lastMessages: [] }, chatOf(carla)),
    ]);
    expect(ours).toEqual({ ok: true, value: {} });
    await become("both at the phone", () => chat().archived && chat().pinned && chat().marked_unread);
    await session.waitForEvent(
      "chat.updated",
      (event) => event.chat_id === chatOf(carla) && event.marked_unread === true && event.timestamp === undefined,
    );
  });

  it("is marked as read as a group: each author's phone shows the read receipt", async () => {
    const dora = await world.newPhone("Dora");
    const { group_id } = must(await carla.act((phone) => createGroup(phone, "Team", [anna.pn, dora.pn])));
    const ids = await Promise.all([carla, dora].map(async (phone) => must(await phone.sendText(group_id, `from ${phone.pn}`)).message_id));
    const messages = await Promise.all(ids.map((id) => session.received(id)));
    await become("both at the phone", () => viewChat(anna.deps, group_id).unread_count === 2);
    await runOk(session, "chats.seen", {
      chat_id: group_id,
      unread: messages.map((each) => dated(each).ref),
      range: [dated(messages[0]!)],
    });
    for (const [at, phone] of [carla, dora].entries()) {
      await eventually(`read at ${phone.pn}'s`, TIMEOUT_MS, () =>
        phone.deps.receipts.list(ids[at]).some(({ from, kind }) => from === anna.pn && kind === "read"),
      );
    }
    await runOk(session, "chats.archive", { chat_id: group_id, archived: true, range: [dated(messages[1]!)] });
    await become("archived", () => listChats(anna.deps).some(({ chat_id, archived }) => chat_id === group_id && archived));
  });

  it("shows typing and recording to the other person, until the time is over or it is paused", async () => {
    const seen = () => presenceOf(carla.deps, chatOf(anna)).history.map(({ presence }) => presence);
    await runOk(session, "chats.typing", { chat_id: chatOf(carla), state: "typing", duration_ms: 50 });
    await become("typing, and stopped by itself", () => seen().at(-2) === "typing" && seen().at(-1) === "paused");
    await runOk(session, "chats.typing", { chat_id: chatOf(carla), state: "recording", duration_ms: 25_000 });
    await become("recording", () => seen().at(-1) === "recording");
    await runOk(session, "chats.typing", { chat_id: chatOf(carla), state: "paused", duration_ms: 0 });
    await become("stopped", () => seen().at(-1) === "paused");
    expect(await run(session, "chats.typing", { chat_id: `${freshNumber()}@c.us`, state: "typing", duration_ms: 0 })).toEqual(
      refusal({ code: "number_not_on_network" }),
    );
  });

  it("is not reported as changed when the network refuses", async () => {
    const before = chat();
    world.network.faults.add({ phone: anna.pn, kind: "iq_error", xmlns: "w:sync:app:state", code: 429 });
    expect(await run(session, "chats.pin", { chat_id: chatOf(carla), pinned: !before.pinned })).toEqual(
      refusal({ code: "network_rate_limited" }),
    );
    await anna.idle();
    expect(chat().pinned).toBe(before.pinned);
  });
});
