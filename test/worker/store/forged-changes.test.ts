// Changes that a sender may claim but not make: the key inside a deletion or an edit is written by its sender.
import { describe, expect, it } from "vitest";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import type { Person } from "@gateway/protocol/ids.ts";
import { ANA, BIA, GROUP, NOW, T0, ana, bia, groupOf, image, status, type TestStores, upsert, withStores } from "./world.ts";

const STATUS = "status@broadcast";
const me = { phone: "5511955554444", lid: "777000000000001" };
const opened: NetworkEvent = {
  type: "session.open",
  ...me,
  profile_name: null,
  is_business: false,
  platform: null,
  timestamp: T0,
};
const ANA_LID = "150000000000001";
const BIA_LID = "150000000000002";
const anaByLid = { phone: null, lid: ANA_LID };
const biaByLid = { phone: null, lid: BIA_LID };
const anaMapped: NetworkEvent = { type: "lid.mapped", lid: ANA_LID, phone: ana.phone };
const biaMapped: NetworkEvent = { type: "lid.mapped", lid: BIA_LID, phone: bia.phone };

type Upsert = ReturnType<typeof upsert>;
const about = ({ message: { chat_id, message_id, from_me } }: Upsert) => ({ chat_id, message_id, from_me });

/** As the bridge reports it: a deletion "of my own message" names its sender as the author. */
const deletes = (message: Upsert, by: Person | null, claim: { author?: Person | null; from_me?: boolean } = {}): NetworkEvent => ({
  type: "message.deleted",
  ...about(message),
  author: by,
  by,
  timestamp: T0 + 2,
  ...claim,
});
const edits = (message: Upsert, sender: Person | null, claim: { from_me?: boolean } = {}): NetworkEvent => ({
  type: "message.edited",
  ...about(message),
  sender,
  text: "Falso",
  timestamp: T0 + 1,
  ...claim,
});
const members = (...roles: [Person, "member" | "admin" | "superadmin"][]): NetworkEvent => ({
  type: "group.snapshot",
  group: { ...groupOf("Vendas"), participants: roles.map(([person, role]) => ({ person, role })) },
});

const textOf = ({ stores }: TestStores, { message }: Upsert) => stores.messageQueries.get(message.message_id, message.chat_id)?.text;

describe("a deletion in a group", () => {
  const theirs = () => upsert({ chat_id: GROUP, sender: ana });
  const ours = () => upsert({ chat_id: GROUP, from_me: true }, "own_device");

  it("by a member who claims to be the author changes nothing", () =>
    withStores((world) => {
      const [hers, mine] = [theirs(), ours()];
      world.emitted(opened, members([ana, "member"], [bia, "member"]), hers, mine);
      const claims = [{}, { author: ana }, { author: null }];
      for (const claim of claims) expect(world.emitted(deletes(hers, bia, claim))).toEqual([]);
      for (const from_me of [true, false]) expect(world.emitted(deletes(mine, bia, { from_me }))).toEqual([]);
      expect([textOf(world, hers), textOf(world, mine)]).toEqual(["Oi", "Oi"]);
    }));

  it("by somebody known only by LID, or not listed in the group, changes nothing", () =>
    withStores((world) => {
      const [hers, mine] = [theirs(), ours()];
      world.emitted(opened, members([ana, "member"]), hers, mine);
      for (const by of [biaByLid, bia, null]) {
        expect(world.emitted(deletes(hers, by), deletes(hers, by, { author: ana }), deletes(mine, by))).toEqual([]);
      }
      expect([textOf(world, hers), textOf(world, mine)]).toEqual(["Oi", "Oi"]);
    }));

  it("by the author works under either address, once the two are known to belong together", () =>
    withStores((world) => {
      const sent = { phone: upsert({ chat_id: GROUP, sender: ana }), lid: upsert({ chat_id: GROUP, sender: anaByLid }) };
      world.emitted(opened, members([ana, "member"]), sent.phone, sent.lid);
      expect(world.emitted(deletes(sent.phone, anaByLid), deletes(sent.lid, ana))).toEqual([]);
      expect(world.emitted(anaMapped, deletes(sent.phone, anaByLid), deletes(sent.lid, ana))).toMatchObject([
        { type: "message.deleted", by: { phone: ana.phone } },
        { type: "message.deleted", by: { phone: ana.phone } },
      ]);
      expect([textOf(world, sent.phone), textOf(world, sent.lid)]).toEqual([null, null]);
    }));

  it("by an admin works for everybody's messages, whichever address lists the admin", () =>
    withStores((world) => {
      const [hers, mine, later] = [theirs(), ours(), theirs()];
      world.emitted(opened, members([ana, "member"], [biaByLid, "superadmin"]), hers, mine, later);
      expect(world.emitted(deletes(hers, biaByLid, { author: ana }))).toMatchObject([{ author: ana, by: biaByLid }]);
      world.emitted(biaMapped);
      expect(world.emitted(deletes(mine, bia, { author: null }))).toMatchObject([{ from_me: true, by: bia }]);
      world.emitted(members([ana, "member"], [bia, "admin"]));
      expect(world.emitted(deletes(later, biaByLid, { author: ana }))).toMatchObject([{ author: ana }]);
      expect([hers, mine, later].map((each) => textOf(world, each))).toEqual([null, null, null]);
    }));

  it("by the number itself on another device works", () =>
    withStores((world) => {
      const [hers, mine] = [theirs(), ours()];
      world.emitted(opened, hers, mine);
      expect(world.emitted(deletes(mine, me, { author: null }), deletes(hers, me, { author: ana }))).toHaveLength(2);
      expect([textOf(world, hers), textOf(world, mine)]).toEqual([null, null]);
    }));

  it("that arrives before its message is checked against the message's sender", () =>
    withStores((world) => {
      const [forged, honest, byAdmin] = [theirs(), theirs(), theirs()];
      world.emitted(opened, members([ana, "member"], [bia, "member"]), deletes(forged, bia), forged);
      world.emitted(deletes(honest, anaByLid), deletes(honest, bia), anaMapped, honest);
      expect([textOf(world, forged), textOf(world, honest)]).toEqual(["Oi", null]);
      world.emitted(members([ana, "member"], [bia, "admin"]), deletes(byAdmin, bia, { author: ana }), byAdmin);
      expect(textOf(world, byAdmin)).toBeNull();
    }));

  it("of a message that is not stored names no author, unless the number itself deleted it", () =>
    withStores((world) => {
      world.emitted(opened, members([ana, "admin"], [bia, "member"]));
      expect(world.emitted(deletes(theirs(), ana, { author: bia }))).toMatchObject([{ type: "message.deleted", author: null, by: ana }]);
      expect(world.emitted(deletes(theirs(), bia))).toMatchObject([{ type: "message.deleted", author: null, by: bia }]);
      expect(world.emitted(deletes(theirs(), me, { author: ana }))).toMatchObject([{ type: "message.deleted", author: ana }]);
    }));

  it("stored before a change of the gateway without its author is not applied", () =>
    withStores((world) => {
      const hers = theirs();
      world.stores.outOfOrder.add(GROUP, hers.message.message_id, "delete", { at: NOW, from_me: false }, NOW);
      world.emitted(opened, members([ana, "member"]), hers);
      expect(textOf(world, hers)).toBe("Oi");
    }));
});

it("the status feed lets only the author of a post, and the number itself for its own, delete it", () =>
  withStores((world) => {
    const [hers, mine] = [upsert({ chat_id: STATUS, sender: ana }), upsert({ chat_id: STATUS, from_me: true }, "own_device")];
    world.emitted(opened, hers, mine);
    for (const by of [bia, biaByLid, null]) {
      const claimed = [deletes(hers, by), deletes(hers, by, { author: ana }), deletes(mine, by), deletes(mine, by, { from_me: false })];
      expect(world.emitted(...claimed)).toEqual([]);
    }
    expect([textOf(world, hers), textOf(world, mine)]).toEqual(["Oi", "Oi"]);
    world.emitted(deletes(hers, ana));
    expect(world.emitted(deletes(mine, me))).toMatchObject([{ type: "message.deleted", from_me: true }]);
    expect([textOf(world, hers), textOf(world, mine)]).toEqual([null, null]);
  }));

it("a contact deletes only their own messages in a one-to-one chat, also one known only by LID", () =>
  withStores((world) => {
    const chats = [
      [ANA, ana],
      [`${BIA_LID}@lid`, biaByLid],
    ] as const;
    world.emitted(opened);
    for (const [chat_id, person] of chats) {
      const [hers, mine] = [upsert({ chat_id }), upsert({ chat_id, from_me: true }, "own_device")];
      world.emitted(hers, mine);
      expect(world.emitted(deletes(mine, person), deletes(mine, person, { from_me: false }))).toEqual([]);
      expect(world.emitted(deletes(hers, person))).toHaveLength(1);
      expect(textOf(world, mine)).toBe("Oi");
      expect(world.emitted(deletes(mine, me))).toHaveLength(1);
      expect([textOf(world, hers), textOf(world, mine)]).toEqual([null, null]);
    }
  }));

describe("an edit in a group", () => {
  it("by somebody who cannot be compared with the author changes nothing", () =>
    withStores((world) => {
      const byPhone = upsert({ chat_id: GROUP, sender: ana });
      const byLid = upsert({ chat_id: GROUP, sender: anaByLid });
      world.emitted(opened, byPhone, byLid);
      expect(world.emitted(edits(byPhone, biaByLid), edits(byLid, bia), edits(byPhone, null))).toEqual([]);
      expect([textOf(world, byPhone), textOf(world, byLid)]).toEqual(["Oi", "Oi"]);
      expect(world.emitted(anaMapped, edits(byPhone, anaByLid), edits(byLid, ana))).toHaveLength(2);
    }));

  it("of our message by somebody else is not reported", () =>
    withStores((world) => {
      const mine = upsert({ chat_id: GROUP, from_me: true }, "own_device");
      world.emitted(opened, mine);
      expect(world.emitted(edits(mine, bia, { from_me: false }))).toEqual([]);
      expect(textOf(world, mine)).toBe("Oi");
    }));
});

it("a message under the id of another person's message does not replace it, nor its file", () =>
  withStores((world) => {
    const placeholder = upsert({ chat_id: GROUP, sender: ana, type: "undecrypted", text: null, raw: null });
    const old = upsert({ chat_id: GROUP, sender: anaByLid }, "history");
    const forged = (message: Upsert) => upsert({ ...message.message, sender: bia, type: "text", text: "Falso", raw: "Zm9y" });
    expect(world.emitted(placeholder, old, forged(placeholder), forged(old)).map(({ type }) => type)).toEqual([
      "contact.created",
      "message.received",
      "contact.created",
    ]);
    expect([textOf(world, placeholder), textOf(world, old)]).toEqual([null, "Oi"]);
    const content = upsert({ ...placeholder.message, sender: { phone: ana.phone, lid: ANA_LID }, type: "text", text: "Oi", raw: "cmF3" });
    expect(world.emitted(content)).toMatchObject([{ type: "message.received", message: { text: "Oi" } }]);

    const [hers, mine] = [upsert({ chat_id: GROUP, sender: ana }), upsert({ chat_id: GROUP, from_me: true }, "own_device")];
    const photo = upsert({ chat_id: GROUP, sender: ana, type: "image", media: { ...image, token: null, sha256: "aa" } });
    world.emitted(hers, mine, photo);
    for (const { message } of [hers, mine, photo]) {
      world.emitted({ type: "message.media", chat_id: GROUP, message_id: message.message_id, media: { ...image, sha256: "bb" } });
    }
    const mediaOf = ({ message }: Upsert) => world.stores.messageQueries.get(message.message_id, GROUP)?.media?.token ?? null;
    expect([hers, mine, photo].map(mediaOf)).toEqual([null, null, null]);
    world.emitted({ type: "message.media", chat_id: GROUP, message_id: photo.message.message_id, media: { ...image, sha256: "aa" } });
    expect(mediaOf(photo)).toBe(image.token);
  }));

it("a read by id alone finds our own message first, then the oldest", () =>
  withStores(({ emitted, stores }) => {
    const [theirs, mine] = [upsert({ chat_id: GROUP, sender: ana }), upsert({ chat_id: GROUP, from_me: true }, "own_device")];
    for (const { message } of [theirs, mine]) {
      const { message_id } = message;
      emitted(upsert({ ...message }, message.from_me ? "own_device" : "live"), upsert({ chat_id: BIA, message_id, text: "Falso" }));
      expect(stores.messageQueries.get(message_id, null)).toMatchObject({ chat_id: GROUP, text: "Oi" });
      expect(stores.messages.find(message_id, null)?.ref.chat_id).toBe(GROUP);
    }
  }));

it("a receipt from another chat than the message's changes nothing", () =>
  withStores(({ emitted, stores }) => {
    const [inGroup, direct] = [upsert({ chat_id: GROUP, from_me: true }, "own_device"), upsert({ from_me: true }, "own_device")];
    emitted(inGroup, direct);
    for (const { message } of [inGroup, direct]) {
      const read = (change: object) => emitted(status(message.message_id, "read", { chat_id: BIA, ...change }));
      expect([...read({}), ...read({ chat_id: `${BIA_LID}@lid` }), ...read({ chat_id: STATUS, participant: bia })]).toEqual([]);
      expect(stores.messageQueries.get(message.message_id, message.chat_id)?.status).toBe("sent");
    }
    expect(emitted(status(direct.message.message_id, "read"))).toMatchObject([{ status: "read", recipient: ana }]);
  }));
