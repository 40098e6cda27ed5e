import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  listBlocked,
  listContacts,
  privacyOf,
  setAbout,
  setBlocked,
  setPicture,
  setPrivacy,
  viewContact,
} from "#root/test-network/phone/profile.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import { eventually } from "../../support/eventually.ts";
import { JPEG, PNG, sha256 } from "../../support/sample-files.ts";
import type { Session } from "../messages/session.ts";
import { chatOf, freshNumber, must, openWorld, type World } from "../messages/world.ts";
import { run, runOk, refusal } from "./run-command.ts";

describe.each(["pn", "lid"] as const)("a number on a network that addresses by %s", (addressing) => {
  let world: World;
  let anna: SimulatedPhone, carla: SimulatedPhone;
  let session: Session;
  beforeAll(async () => {
    world = await openWorld({ addressing });
    ({ phone: anna, session } = await world.pair("Anna"));
    carla = await world.newPhone("Carla");
  });
  afterAll(() => world.close());

  const nobody = () => `${freshNumber()}@c.us`;

  it("checks many numbers for accounts at once", async () => {
    const absent = freshNumber();
    const { items } = await runOk(session, "contacts.check", { phones: [carla.pn, absent, anna.pn] });
    expect(items).toEqual([
      { phone: carla.pn, found: carla.pn },
      { phone: absent, found: null },
      { phone: anna.pn, found: anna.pn },
    ]);
  });

  it("saves a contact in the phone's address book, renames it and removes it", async () => {
    const saved = () => anna.act((phone) => listContacts(phone).find(({ phone: pn }) => pn === carla.pn)?.full_name ?? null);
    for (const full_name of ["Carla Costa", "Carla C."]) {
      expect(await runOk(session, "contacts.save", { contact_id: chatOf(carla), full_name, first_name: null })).toEqual({
        contact_id: chatOf(carla),
      });
      await session.waitForEvent(
        "contact.updated",
        (event) => event.person.phone === carla.pn && event.name === full_name && event.is_saved === true,
      );
      await eventually(`${full_name} at the phone`, 60_000, async () => (await saved()) === full_name);
    }
    await runOk(session, "contacts.remove", { contact_id: chatOf(carla) });
    await session.waitForEvent(
      "contact.updated",
      (event) => event.person.phone === carla.pn && event.is_saved === false && event.name === null,
    );
    await eventually("the contact gone", 60_000, async () => (await saved()) === null);
    expect(await run(session, "contacts.save", { contact_id: nobody(), full_name: "Nobody", first_name: null })).toEqual(
      refusal({ code: "number_not_on_network" }),
    );
  });

  it("blocks and unblocks an unknown person", async () => {
    const dora = await world.newPhone("Dora");
    await runOk(session, "contacts.block", { contact_id: chatOf(dora), blocked: true });
    await session.waitForEvent("contact.updated", (event) => event.person.phone === dora.pn && event.is_blocked === true);
    expect(await anna.act(listBlocked)).toContain(dora.pn);
    expect((await runOk(session, "contacts.blocked", {})).persons).toEqual([expect.objectContaining({ phone: dora.pn })]);
    await runOk(session, "contacts.block", { contact_id: chatOf(dora), blocked: false });
    await session.waitForEvent("contact.updated", (event) => event.person.phone === dora.pn && event.is_blocked === false);
    expect(await anna.act(listBlocked)).not.toContain(dora.pn);
    expect(await run(session, "contacts.block", { contact_id: nobody(), blocked: true })).toEqual(
      refusal({ code: "number_not_on_network" }),
    );
  });

  it("reads about texts, unless they are hidden", async () => {
    await carla.act((phone) => setAbout(phone, "at the beach"));
    const about = await runOk(session, "contacts.about", { contact_id: chatOf(carla) });
    expect(about).toEqual({ about: "at the beach", set_at: expect.any(Number) });
    expect(Math.abs((about.set_at ?? 0) - Date.now() / 1000)).toBeLessThan(60);
    world.network.directory.account(carla.pn)!.privacy["status"] = "none";
    expect(await runOk(session, "contacts.about", { contact_id: chatOf(carla) })).toEqual({ about: null, set_at: null });
    expect(await run(session, "contacts.about", { contact_id: nobody() })).toEqual(refusal({ code: "contact_not_found" }));
  });

  it("reads business profiles, and gets none for other accounts", async () => {
    const plain = await world.createPhone(freshNumber(), { name: "Plain", business: false });
    Object.assign(world.network.directory.account(carla.pn)!.businessProfile, {
      description: "Bread",
      email: "a@b.example",
      websites: ["https://bread.example"],
    });
    const { business } = await runOk(session, "contacts.business_profile", { contact_id: chatOf(carla) });
    expect(business).toEqual({
      description: "Bread",
      email: "a@b.example",
      websites: ["https://bread.example"],
      address: null,
      category: null,
    });
    expect(await runOk(session, "contacts.business_profile", { contact_id: chatOf(plain) })).toEqual({ business: null });
  });

  it("finds the LID of a number, and from then on the number of the LID", async () => {
    // A Brazilian mobile number is looked up without its ninth digit, and returned in the network's format.
    const phone = `55119${freshNumber().slice(-8)}`;
    await world.createPhone(phone, { name: "Edu" });
    const { lid } = world.network.directory.account(phone)!;
    expect(await run(session, "contacts.phone", { lid })).toEqual(refusal({ code: "contact_not_found" }));
    expect(await runOk(session, "contacts.lid", { phone: phone.replace("55119", "5511") })).toEqual({ lid, phone });
    await session.waitForEvent("lid.mapped", (event) => event.lid === lid && event.phone === phone);
    expect(await runOk(session, "contacts.phone", { lid })).toEqual({ lid, phone });

    const own = { lid: world.network.directory.account(anna.pn)!.lid, phone: anna.pn };
    expect(await runOk(session, "contacts.lid", { phone: anna.pn })).toEqual(own);
    expect(await runOk(session, "contacts.phone", { lid: own.lid })).toEqual(own);
    expect(await run(session, "contacts.lid", { phone: freshNumber() })).toEqual(refusal({ code: "contact_not_found" }));
    expect(await run(session, "contacts.phone", { lid: "150000000000088" })).toEqual(refusal({ code: "contact_not_found" }));
  });

  it("copies a profile picture into our media, once per picture", async () => {
    const shown = { chat_id: chatOf(carla), size: "preview" as const };
    expect(await run(session, "pictures.get", shown)).toEqual(refusal({ code: "picture_not_found" }));
    await carla.act((phone) => setPicture(phone, JPEG));
    const { media, stored_at } = await runOk(session, "pictures.get", shown);
    expect(media).toMatchObject({ mimetype: "image/jpeg", sha256: sha256(JPEG), size: JPEG.length });
    expect(session.media.sha256(media.token)).toBe(sha256(JPEG));
    expect(await runOk(session, "pictures.get", shown)).toEqual({ media, stored_at });
    await carla.act((phone) => setPicture(phone, PNG));
    expect((await runOk(session, "pictures.get", shown)).media.sha256).toBe(sha256(PNG));
    await carla.act((phone) => setBlocked(phone, anna.pn, true));
    expect(await run(session, "pictures.get", shown)).toEqual(refusal({ code: "picture_not_found" }));
    expect(await run(session, "pictures.get", { ...shown, chat_id: nobody() })).toEqual(refusal({ code: "contact_not_found" }));
  });

  it("changes its own name, about text and picture", async () => {
    await runOk(session, "profile.name", { name: "Anna at work" });
    await session.waitForEvent("profile.updated", ({ name }) => name === "Anna at work");
    await eventually("the name at the phone", 60_000, () => anna.deps.identity.creds.me.name === "Anna at work");
    await eventually("the name on the network", 60_000, () => world.network.directory.account(anna.pn)?.name === "Anna at work");

    await runOk(session, "profile.about", { about: "open till six" });
    await runOk(session, "profile.picture", { picture: session.media.keep(PNG, "image/png") });
    const seen = await anna.act((phone) => viewContact(phone, anna.pn));
    expect(seen).toMatchObject({ about: "open till six", picture_sha256: expect.any(String) });
    const profile = await runOk(session, "profile.get", {});
    expect(profile).toMatchObject({
      about: "open till six",
      business: { websites: [] },
      picture: { media: { sha256: seen?.picture_sha256 } },
    });

    await runOk(session, "profile.picture", { picture: null });
    await runOk(session, "profile.about", { about: "" });
    expect(await runOk(session, "profile.get", {})).toMatchObject({ about: null, picture: null });
    const text = session.media.keep(Buffer.from("no picture at all"), "image/png");
    expect(await run(session, "profile.picture", { picture: text })).toEqual(refusal({ code: "media_invalid" }));
  });

  it('announces a name with an "@" without it, and keeps it elsewhere', async () => {
    const announced: (string | undefined)[] = [];
    const receive = world.network.receive.bind(world.network);
    world.network.receive = (from, stanza) => {
      if (stanza.tag === "presence" && from.account.pn === anna.pn && from.id !== 0) announced.push(stanza.attrs["name"]);
      receive(from, stanza);
    };
    for (const name of ["ana_maria@loja", "Anna at work"]) {
      await runOk(session, "profile.name", { name });
      await session.waitForEvent("profile.updated", (event) => event.name === name);
      await eventually("the name at the phone", 60_000, () => anna.deps.identity.creds.me.name === name);
    }
    await eventually("both names", 60_000, () => announced.includes("Anna at work"));
    world.network.receive = receive;
    expect([...new Set(announced)]).toEqual(["ana_marialoja", "Anna at work"]);
  });

  it("reads and changes its privacy settings, as the phone has them", async () => {
    const everything = {
      last_seen: "contact_blacklist",
      online: "match_last_seen",
      picture: "contacts",
      about: "none",
      read_receipts: "none",
      groups_add: "contacts",
      calls: "known",
      messages: "contacts",
    } as const;
    const open = Object.fromEntries(Object.keys(everything).map((setting) => [setting, "all"]));
    expect(await runOk(session, "profile.privacy", {})).toEqual(open);
    expect(await runOk(session, "profile.set_privacy", everything)).toEqual(everything);
    expect(privacyOf(anna.deps)).toEqual({
      last: "contact_blacklist",
      online: "match_last_seen",
      profile: "contacts",
      status: "none",
      readreceipts: "none",
      groupadd: "contacts",
      calladd: "known",
      messages: "contacts",
    });
    expect(await runOk(session, "profile.set_privacy", { about: "all", calls: "all" })).toEqual({
      ...everything,
      about: "all",
      calls: "all",
    });
    world.network.directory.account(anna.pn)!.privacy["last"] = "friends of friends";
    expect(await runOk(session, "profile.privacy", {})).toEqual({ ...everything, about: "all", calls: "all", last_seen: null });
    expect(await runOk(session, "profile.set_privacy", open)).toEqual(open);
  });

  it("changes no further setting once the network has refused one", async () => {
    world.network.faults.add({ phone: anna.pn, kind: "iq_error", code: 429, xmlns: "privacy" });
    expect(await run(session, "profile.set_privacy", { last_seen: "none", calls: "known" })).toEqual(
      refusal({ code: "network_rate_limited", retryAfter: 60, attempted: true }),
    );
    expect(privacyOf(anna.deps)).toMatchObject({ last: "all", calladd: "all" });
    const ask = session.sock.query;
    session.sock.query = () => Promise.resolve(undefined as never);
    expect(await run(session, "profile.set_privacy", { last_seen: "none" })).toEqual(refusal({ code: "network_timeout" }));
    session.sock.query = ask;
  });

  it("sends read receipts by the privacy setting, wherever it was changed", async () => {
    const seen = async () => {
      const { message_id } = must(await carla.sendText(chatOf(anna), "Seen?"));
      const { timestamp } = await session.received(message_id);
      const ref = { chat_id: chatOf(carla), message_id, from_me: false, participant: null };
      await runOk(session, "chats.seen", { chat_id: chatOf(carla), unread: [ref], range: [{ ref, timestamp }] });
      return message_id;
    };
    const hasTick = (id: string) => carla.deps.receipts.list(id).some(({ from, kind }) => from === anna.pn && kind === "read");
    const reads = () => world.network.stats.queries["privacy/get/privacy"] ?? 0;
    const onPhone = async (readreceipts: string) => {
      const before = reads();
      expect(await anna.act((phone) => setPrivacy(phone, { readreceipts }))).toBe(true);
      await eventually("the settings read again", 60_000, () => reads() > before);
    };
    await onPhone("none");
    const first = await seen();
    await onPhone("all");
    const second = await seen();
    await eventually("a tick on the second", 60_000, () => hasTick(second));
    await runOk(session, "profile.set_privacy", { read_receipts: "none" });
    const third = await seen();
    await runOk(session, "profile.set_privacy", { read_receipts: "all" });
    const last = await seen();
    // Read receipts arrive in the order of the reads.
    await eventually("a tick on the last", 60_000, () => hasTick(last));
    expect([first, third].map(hasTick)).toEqual([false, false]);
  });

  it("reports what the network refused", async () => {
    const refuse = (xmlns: string, code: number) => world.network.faults.add({ phone: anna.pn, kind: "iq_error", code, xmlns });
    refuse("blocklist", 429);
    expect(await run(session, "contacts.blocked", {})).toEqual(refusal({ code: "network_rate_limited", retryAfter: 60 }));
    refuse("w:profile:picture", 429);
    expect(await run(session, "profile.get", {})).toEqual(refusal({ code: "network_rate_limited" }));
    refuse("w:mex", 500);
    expect(await run(session, "profile.about", { about: "?" })).toEqual(refusal({ code: "network_error", details: { network_code: 500 } }));
  });
});
