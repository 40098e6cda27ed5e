// Groups, contacts and the profile.
import { expect, it } from "vitest";
import { JPEG, PNG, sha256 } from "#root/test/support/sample-files.ts";
import { file } from "./messages.ts";
import { AN_ISO_TIME, BIA, BIAS_CHAT, CAIO, DONE, DUDA, NOBODY, type Store, STORE } from "./store.ts";

const result = (phone: string) => ({ id: `${phone}@c.us`, phone, status: "ok", code: 200, reason: null, invite_sent: false });

export function groups(store: () => Store): void {
  let group: string;
  const seen = async (by: string = BIA): Promise<any> => store().seen(by, `groups/${group}`);
  const rolesIn = async (): Promise<Record<string, string>> =>
    Object.fromEntries((await seen()).participants.map(({ phone, role }: { phone: string; role: string }) => [phone, role]));

  it("are made with people, listed and read", async () => {
    const made = await store().post("/groups", { subject: "Team", participants: [BIA, NOBODY] });
    group = made.data.group_id;
    expect(made.data).toMatchObject({ owner: `${STORE}@c.us`, my_role: "superadmin", created_at: AN_ISO_TIME });
    expect(made.participants).toEqual([result(BIA), { ...result(NOBODY), status: "failed", code: 404, reason: "not_on_network" }]);
    expect(await rolesIn()).toEqual({ [STORE]: "superadmin", [BIA]: "member" });
    expect((await store().get("/groups?q=team")).data).toMatchObject([{ group_id: group, subject: "Team", size: 2 }]);
    const { participants } = (await store().get(`/groups/${group}`)).data;
    expect(participants.map(({ id }: { id: string }) => id).toSorted()).toEqual([`${STORE}@c.us`, BIAS_CHAT]);
    expect((await store().get(`/groups/${group}/participants`)).data).toEqual(participants);
  });

  it("get a name, a description, a picture and settings that their people see", async () => {
    const path = `/groups/${group}`;
    expect(await store().ok("PUT", `${path}/subject`, { subject: "Sales" })).toEqual(DONE);
    expect(await store().ok("PUT", `${path}/description`, { description: "Only sales" })).toEqual(DONE);
    expect(await store().ok("PUT", `${path}/picture`, file(PNG))).toEqual(DONE);
    expect(await seen()).toMatchObject({ subject: "Sales", description: "Only sales", picture_sha256: expect.any(String) });
    expect(await store().ok("DELETE", `${path}/picture`)).toEqual(DONE);
    expect((await seen()).picture_sha256).toBeNull();
    const changed = await store().ok("PATCH", `${path}/settings`, { messages_admins_only: true });
    expect(changed.data).toMatchObject({ messages_admins_only: true, info_admins_only: false });
    expect(await seen()).toMatchObject({ announce: true, locked: false });
    expect((await store().get(`${path}/settings`)).data).toEqual(changed.data);
  });

  it("gain, promote, demote and lose people", async () => {
    const change = (action: string, phone: string) =>
      store().post(`/groups/${group}/participants/${action}`, { participants: [`${phone}@c.us`] });
    expect((await change("add", CAIO)).data).toEqual([result(CAIO)]);
    expect((await change("promote", CAIO)).data).toEqual([result(CAIO)]);
    expect(await rolesIn()).toEqual({ [STORE]: "superadmin", [BIA]: "member", [CAIO]: "admin" });
    expect((await change("demote", CAIO)).data).toEqual([result(CAIO)]);
    expect((await change("remove", CAIO)).data).toEqual([result(CAIO)]);
    expect(await rolesIn()).toEqual({ [STORE]: "superadmin", [BIA]: "member" });
  });

  it("are joined by an invitation, with an admin's consent where it is wanted", async () => {
    const path = `/groups/${group}`;
    await store().ok("PATCH", `${path}/settings`, { join_approval: true });
    const { code, link } = (await store().get(`${path}/invite-code`)).data;
    expect(link).toContain(code);
    for (const phone of [CAIO, DUDA]) await store().on(phone, "groups/join", { invite_code: code });
    expect((await store().get(`${path}/requests`)).data).toEqual(
      [CAIO, DUDA].map((phone) => ({
        request_id: `${phone}@c.us`,
        id: `${phone}@c.us`,
        phone,
        method: "invite_link",
        requested_at: AN_ISO_TIME,
      })),
    );
    expect((await store().post(`${path}/requests/approve`, { participants: [`${CAIO}@c.us`] })).data).toEqual([result(CAIO)]);
    expect((await store().post(`${path}/requests/reject`, { participants: [DUDA] })).data).toEqual([result(DUDA)]);
    expect(await rolesIn()).toEqual({ [STORE]: "superadmin", [BIA]: "member", [CAIO]: "member" });
    const fresh = (await store().post(`${path}/invite-code/revoke`)).data;
    expect(fresh.code).not.toBe(code);
    expect((await seen(STORE)).invite_code).toBe(fresh.code);
  });

  it("are previewed, joined, left and deleted if others made them", async () => {
    for (const [method, end] of [
      ["POST", "/leave"],
      ["DELETE", ""],
    ] as const) {
      const { group_id } = await store().on(BIA, "groups", { subject: "Bia's", participants: [CAIO] });
      const members = async () =>
        ((await store().seen(BIA, `groups/${group_id}`)).participants as { phone: string }[]).map(({ phone }) => phone);
      const { invite_code: code } = await store().seen(BIA, `groups/${group_id}`);
      expect((await store().get(`/groups/join-info?code=${code}`)).data).toMatchObject({ group_id, owner: BIAS_CHAT, size: 2 });
      expect((await store().post("/groups/join", { code })).data).toEqual({ group_id, pending: false });
      expect(await members()).toContain(STORE);
      expect(await store().ok(method, `/groups/${group_id}${end}`)).toEqual(DONE);
      expect(await members()).not.toContain(STORE);
    }
  });

  it("show who wrote what", async () => {
    await store().ok("PATCH", `/groups/${group}/settings`, { messages_admins_only: false });
    expect(await store().fromBia({ text: "Hi all" }, group)).toMatchObject({
      is_group: true,
      from: BIAS_CHAT,
      participant: BIAS_CHAT,
      to: null,
    });
    const sent = await store().send("text", { to: undefined, chat_id: group, text: `Hi @${BIA}`, mentions: [BIA] });
    expect(sent).toMatchObject({ chat_id: group, to: null, is_group: true });
    expect(await store().at(BIA, sent.message_id)).toMatchObject({ chat_id: group, mentions: [BIA] });
    expect((await store().get(`/messages/${sent.message_id}`)).data).toMatchObject({
      mentions: [BIAS_CHAT],
      from_me: true,
      from: `${STORE}@c.us`,
      participant: `${STORE}@c.us`,
    });
  });
}

export function contacts(store: () => Store): void {
  const path = `/contacts/${BIAS_CHAT}`;
  const seen = async (phone: string, by = STORE) => store().seen(by, `contacts/${phone}`);

  it("are found by number, by LID and the other way round", async () => {
    expect((await store().get(`/contacts/check?phone=${BIA}`)).data).toEqual({ phone: BIA, exists: true, chat_id: BIAS_CHAT });
    const { data } = await store().post("/contacts/check", { phones: [BIA, NOBODY] });
    expect(data).toEqual([
      { phone: BIA, exists: true, chat_id: BIAS_CHAT },
      { phone: NOBODY, exists: false, chat_id: null },
    ]);
    const { lid, phone } = (await store().get(`/lids/pn/${BIA}`)).data;
    expect([phone, lid]).toEqual([BIA, expect.stringMatching(/^\d+@lid$/)]);
    expect((await store().get(`/lids/${lid}`)).data).toEqual({ lid, phone: BIA });
    await store().refused(store().ask("GET", `/lids/pn/${NOBODY}`), 404, "contact_not_found");
  });

  it("say whether a message would reach them", async () => {
    const reach = async (id: string) => (await store().get(`/contacts/${id}/reachability`)).data;
    expect(await reach(BIAS_CHAT)).toMatchObject({ exists: true, session: "connected", advice: "send", why: null });
    expect(await reach(NOBODY)).toMatchObject({ exists: false, chat: "first_contact", advice: "do_not_send", why: "not_on_whatsapp" });
  });

  it("are saved on the phone, listed, read and removed", async () => {
    expect((await store().ok("PUT", path, { full_name: "Bia Souza" })).data).toMatchObject({ contact_id: BIAS_CHAT, is_saved: true });
    await store().become("the name at the phone", async () => (await seen(BIA)).full_name === "Bia Souza");
    expect((await store().get("/contacts?saved=true&q=souza")).data).toMatchObject([{ contact_id: BIAS_CHAT, updated_at: AN_ISO_TIME }]);
    expect(await store().ok("DELETE", path)).toEqual(DONE);
    await store().become("gone from the phone", async () => (await seen(BIA)).full_name === null);
    expect((await store().get(path)).data).toMatchObject({ phone: BIA, name: null, is_saved: false });
  });

  it("are blocked and unblocked on the phone", async () => {
    const blocked = () => store().seen(STORE, "blocked");
    expect(await store().post(`${path}/block`)).toEqual(DONE);
    expect([await blocked(), (await store().get("/contacts/blocked")).data]).toEqual([[BIA], [BIAS_CHAT]]);
    expect(await store().post(`${path}/unblock`)).toEqual(DONE);
    expect(await blocked()).toEqual([]);
  });

  it("show their picture, about text and business profile", async () => {
    await store().on(BIA, "picture", { base64: JPEG.toString("base64") });
    await store().network.call("PATCH", `/phones/${BIA}`, { about: "at the beach" });
    const { data } = await store().get(`${path}/picture?size=full`);
    expect(sha256(Buffer.from(await (await fetch(data.url)).arrayBuffer()))).toBe(sha256(JPEG));
    expect((await store().get(`${path}/about`)).data).toEqual({ about: "at the beach", set_at: AN_ISO_TIME });
    await store().refused(store().ask("GET", `${path}/business-profile`), 404, "business_profile_not_found");
    await store().network.call("POST", "/phones", { phone: "5511900000185", name: "Bakery", business: true });
    expect((await store().get("/contacts/5511900000185/business-profile")).data).toMatchObject({ websites: [] });
  });
}

export function profile(store: () => Store): void {
  it("is changed as others see it", async () => {
    const seen = async () => store().seen(BIA, `contacts/${STORE}`);
    expect(await store().ok("PUT", "/profile/name", { name: "Ana's store" })).toEqual(DONE);
    expect(await store().ok("PUT", "/profile/about", { about: "open until six" })).toEqual(DONE);
    expect(await store().ok("PUT", "/profile/picture", file(PNG))).toEqual(DONE);
    const shown = await seen();
    expect(shown).toMatchObject({ about: "open until six", picture_sha256: expect.any(String) });
    const { record } = await store().arrived("text", { text: "Who is this?" });
    expect(record.push_name).toBe("Ana's store");
    const { data } = await store().get("/profile");
    expect(data).toMatchObject({ phone: STORE, name: "Ana's store", about: "open until six", is_business: true });
    expect(sha256(Buffer.from(await (await fetch(data.picture_url)).arrayBuffer()))).toBe(shown.picture_sha256);
    expect(await store().ok("DELETE", "/profile/picture")).toEqual(DONE);
    expect((await seen()).picture_sha256).toBeNull();
  });

  it("is visible according to the privacy settings, which match the phone's", async () => {
    const changed = await store().ok("PATCH", "/profile/privacy", { last_seen: "contacts", read_receipts: "none" });
    expect(changed.data).toMatchObject({ last_seen: "contacts", read_receipts: "none" });
    expect(await store().seen(STORE, "privacy")).toMatchObject({ last: "contacts", readreceipts: "none" });
    await store().network.call("PATCH", `/phones/${STORE}/privacy`, { last: "all", readreceipts: "all" });
    await store().become("as on the phone", async () => (await store().get("/profile/privacy")).data.last_seen === "all");
  });
}
