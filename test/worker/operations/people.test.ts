// Contact and profile operations: which network responses are stored.
import { afterEach, describe, expect, it, vi } from "vitest";
import { allEnded, OTHER, PHONE, TestConnection } from "../fakes/connection.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";

const CONTACT = `${OTHER}@c.us`;
const LID = "150000000000077";
const person = { phone: OTHER, lid: null };
const MEDIA = {
  token: "0abc",
  mimetype: "image/jpeg",
  filename: null,
  size: 7,
  sha256: null,
  duration_seconds: null,
  width: null,
  height: null,
};

afterEach(allEnded);

describe("contacts", () => {
  it("are stored before a save through the API is answered", async () => {
    const { connection, session } = await TestConnection.connected();
    const saving = connection.ask("contacts.save", { contact_id: CONTACT, full_name: "Bia Souza", first_name: "Bia" });
    const command = await session.frames.next("command", (frame) => frame.name === "contacts.save");
    expect(JSON.parse(command.input)).toEqual({ contact_id: CONTACT, full_name: "Bia Souza", first_name: "Bia" });
    await session.commit([{ type: "contact.updated", person, name: "Bia Souza", is_saved: true }]);
    session.say({ type: "result", id: command.id, ok: true, value: JSON.stringify({ contact_id: CONTACT }) });
    expect(await saving).toMatchObject({
      ok: true,
      value: { contact_id: CONTACT, name: "Bia Souza", is_saved: true, person: { phone: OTHER } },
    });
    expect(await connection.ask("contacts.list", { limit: 50, cursor: null, q: null, saved: true })).toMatchObject({
      value: { items: [{ name: "Bia Souza" }] },
    });
  });

  it("are not found if they are unknown, and no removal is sent", async () => {
    const { connection } = await TestConnection.connected();
    expect(await connection.ask("contacts.get", { contact_id: CONTACT })).toEqual({ ok: false, code: "contact_not_found" });
    expect(await connection.ask("contacts.remove", { contact_id: CONTACT })).toEqual({ ok: false, code: "contact_not_found" });
  });

  it("are blocked and unblocked as the network's list says", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([
      { type: "contact.updated", person: { phone: "5511900000003", lid: null }, is_blocked: true },
      { type: "lid.mapped", lid: LID, phone: OTHER },
    ]);
    const asking = connection.ask("contacts.blocked", {});
    await session.answer("contacts.blocked", {
      persons: [
        { phone: null, lid: LID },
        { phone: null, lid: "150000000000099" },
      ],
    });
    expect(await asking).toEqual({ ok: true, value: { contact_ids: [CONTACT, "150000000000099@lid"] } });
    expect(await connection.ask("contacts.get", { contact_id: CONTACT })).toMatchObject({ value: { is_blocked: true } });
    expect(await connection.ask("contacts.get", { contact_id: "5511900000003@c.us" })).toMatchObject({ value: { is_blocked: false } });
  });

  it("wait their turn when they are checked in batches, unlike single numbers", async () => {
    const { connection, session } = await TestConnection.connected();
    const phones = [OTHER, "5511900000003"];
    const answer = { items: [] };
    const first = connection.ask("contacts.check", { phones });
    await session.answer("contacts.check", answer);
    await first;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const second = connection.ask("contacts.check", { phones });
      const third = connection.ask("contacts.check", { phones });
      const fourth = connection.ask("contacts.check", { phones });
      expect(await connection.ask("contacts.check", { phones })).toMatchObject({ ok: false, code: "rate_limited" });
      const single = connection.ask("contacts.check", { phones: [OTHER] });
      expect(await session.answer("contacts.check", answer)).toEqual({ phones: [OTHER] });
      await single;
      for (const waiting of [second, third, fourth]) {
        await connection.wait(5_000);
        expect(await session.answer("contacts.check", answer)).toEqual({ phones });
        expect(await waiting).toEqual({ ok: true, value: answer });
      }
    } finally {
      vi.useRealTimers();
    }
  });

  it("show the picture that was read last, until there is none", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([{ type: "contact.updated", person, push_name: "Bia" }]);
    const stored_at = Date.now() - 60_000;
    const reading = connection.ask("pictures.get", { chat_id: CONTACT, size: "preview" });
    await session.answer("pictures.get", { media: MEDIA, stored_at });
    expect(await reading).toEqual({ ok: true, value: { media: MEDIA, expires_at: stored_at + 7 * DAY_MS } });
    expect(await connection.ask("contacts.get", { contact_id: CONTACT })).toMatchObject({ value: { picture: MEDIA } });
    const again = connection.ask("pictures.get", { chat_id: CONTACT, size: "preview" });
    await session.refuse("pictures.get", { code: "picture_not_found" });
    expect(await again).toEqual({ ok: false, code: "picture_not_found" });
    expect(await connection.ask("contacts.get", { contact_id: CONTACT })).toMatchObject({ value: { picture: null } });
  });

  it("are known by LID and by number from what the network told, which is asked for the rest", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([{ type: "lid.mapped", lid: LID, phone: OTHER }]);
    const pair = { ok: true, value: { lid: LID, phone: OTHER } };
    expect(await connection.ask("contacts.phone", { lid: LID })).toEqual(pair);
    expect(await connection.ask("contacts.lid", { phone: OTHER })).toEqual(pair);
    const [lid, phone] = ["150000000000099", "5511900000099"];
    const looking = connection.ask("contacts.lid", { phone });
    expect(await session.answer("contacts.lid", { lid, phone })).toEqual({ phone });
    expect(await looking).toEqual({ ok: true, value: { lid, phone } });
    const unknown = connection.ask("contacts.phone", { lid });
    await session.refuse("contacts.phone", { code: "contact_not_found" });
    expect(await unknown).toEqual({ ok: false, code: "contact_not_found" });
  });

  it("have no business profile if they are no business", async () => {
    const { connection, session } = await TestConnection.connected();
    const asking = connection.ask("contacts.business_profile", { contact_id: CONTACT });
    await session.answer("contacts.business_profile", { business: null });
    expect(await asking).toEqual({ ok: false, code: "business_profile_not_found" });
  });
});

describe("the profile", () => {
  it("combines the network's answer with the stored state, and follows its own changes", async () => {
    const { connection, session } = await TestConnection.connected();
    const renaming = connection.ask("profile.name", { name: "Ana at work" });
    const command = await session.frames.next("command", (frame) => frame.name === "profile.name");
    await session.commit([{ type: "profile.updated", name: "Ana at work" }]);
    session.say({ type: "result", id: command.id, ok: true, value: "{}" });
    expect(await renaming).toMatchObject({ ok: true });
    const reading = connection.ask("profile.get", {});
    await session.answer("profile.get", { about: "open", picture: { media: MEDIA, stored_at: 1 }, business: null });
    expect(await reading).toEqual({
      ok: true,
      value: { phone: PHONE, name: "Ana at work", about: "open", picture: MEDIA, is_business: false, business: null },
    });
  });

  it("has privacy settings, which the network keeps", async () => {
    const settings = {
      last_seen: "contacts",
      online: "match_last_seen",
      picture: "all",
      about: null,
      read_receipts: "none",
      groups_add: "contact_blacklist",
      calls: "known",
      messages: "all",
    };
    const { connection, session } = await TestConnection.connected();
    const changing = connection.ask("profile.set_privacy", { read_receipts: "none" });
    expect(await session.answer("profile.set_privacy", settings)).toEqual({ read_receipts: "none" });
    expect(await changing).toEqual({ ok: true, value: settings });
    const reading = connection.ask("profile.privacy", {});
    await session.answer("profile.privacy", settings);
    expect(await reading).toEqual({ ok: true, value: settings });
  });

  it("cannot be read while the number is not connected", async () => {
    const { connection } = await TestConnection.connected();
    await connection.ask("instance.disconnect", {});
    expect(await connection.ask("profile.get", {})).toMatchObject({ ok: false, code: "instance_not_connected" });
    expect(await connection.ask("contacts.block", { contact_id: CONTACT, blocked: true })).toMatchObject({
      code: "instance_not_connected",
    });
  });
});
