// Every kind of message, and message operations.
import { expect, it } from "vitest";
import { JPEG, MP4, PNG, sha256 } from "#root/test/support/sample-files.ts";
import { AN_ISO_TIME, BIA, BIAS_CHAT, CAIO, DONE, NOBODY, type Store, STORE } from "./store.ts";

/** The start of any voice note, and of any song. */
export const OGG = Buffer.concat([Buffer.from("OggS"), Buffer.alloc(24), Buffer.from("OpusHead\x01"), Buffer.alloc(64)]);
const MP3 = Buffer.concat([Buffer.from("ID3\x04"), Buffer.alloc(64)]);

export const file = (bytes: Buffer, more: object = {}) => ({ media: { base64: bytes.toString("base64"), ...more } });
const messagePath = (id: string, chat = BIAS_CHAT) => `/chats/${chat}/messages/${id}`;

export function sends(store: () => Store): void {
  it("arrives once as a text, however often it is repeated with its key", async () => {
    const question = await store().fromBia({ text: "At what time?" });
    const text = { text: "At nine", quoted_message_id: question.message_id, reference: "order 1" };
    const sent = await store().send("text", text, { "idempotency-key": "at-nine" });
    expect(sent).toEqual({
      message_id: expect.any(String) as string,
      chat_id: BIAS_CHAT,
      to: BIA,
      to_resolved: null,
      is_group: false,
      type: "text",
      status: "sent",
      reference: "order 1",
      timestamp: AN_ISO_TIME,
    });
    const again = await store().ask("POST", "/messages/text", { to: BIA, ...text }, { "idempotency-key": "at-nine" });
    expect([again.status, again.body, again.headers.get("idempotent-replayed")]).toEqual([201, { data: sent }, "true"]);
    const other = await store().ask("POST", "/messages/text", { to: BIA, text: "At ten" }, { "idempotency-key": "at-nine" });
    expect([other.body, other.headers.get("idempotency-mismatch")]).toEqual([{ data: sent }, "true"]);
    expect(await store().at(BIA, sent.message_id)).toMatchObject({ text: "At nine", quoted_id: question.message_id, duplicates: 0 });
    expect((await store().network.inbox(BIA)).filter((record) => record["text"] === "At nine")).toHaveLength(1);
    await store().refused(store().ask("POST", "/messages/text", { to: NOBODY, text: "Hi" }), 422, "number_not_on_network");
  });

  it("waits for its time, and can be changed and cancelled before", async () => {
    const delivery = { at: new Date(Date.now() + 3_600_000).toISOString() };
    const later = async (text: string) => {
      const { status, body } = await store().ask("POST", "/messages/text", { to: BIA, text, delivery });
      expect([status, body.data]).toMatchObject([202, { status: "waiting" }]);
      return body.data as { message_id: string };
    };
    const sent = await later("Later");
    expect((await store().get("/messages/waiting")).data).toMatchObject([
      { message_id: sent.message_id, text: "Later", waits_for: "time" },
    ]);
    // Asks again with a later time if the last one had passed on the way.
    const path = `/messages/waiting/${sent.message_id}`;
    const changed = await store().become("a time that is still to come", async () => {
      const { status, body } = await store().ask("PATCH", path, { text: "Now", at: new Date(Date.now() + 1_000).toISOString() });
      if (JSON.stringify(body).includes("must not be in the past")) return null;
      store().counted("PATCH", path, status, JSON.stringify(body));
      return body;
    });
    expect(changed.data).toMatchObject({ text: "Now" });
    expect(await store().at(BIA, sent.message_id)).toMatchObject({ text: "Now", duplicates: 0 });
    expect(await store().ok("DELETE", `/messages/waiting/${sent.message_id}`)).toEqual({ data: { count: 0 } });
    await later("Never");
    expect(await store().ok("DELETE", "/messages/waiting")).toEqual({ data: { count: 1 } });
  });

  it("arrives complete as a file, in the kind that was sent", async () => {
    const kinds = [
      ["image", PNG, { caption: "Look" }],
      ["video", MP4, { caption: "Watch" }],
      ["audio", MP3, {}],
      ["voice", OGG, {}],
      ["document", Buffer.from("the bill"), { caption: "The bill" }],
      ["sticker", await sticker(), {}],
    ] as const;
    for (const [kind, bytes, more] of kinds) {
      const named = kind === "document" ? { filename: "bill.pdf", mimetype: "application/pdf" } : {};
      const { result, record } = await store().arrived(kind, { ...file(bytes, named), ...more });
      expect(result).toMatchObject({ type: kind, timestamp: AN_ISO_TIME });
      expect([record.type, record.text, record.media.sha256]).toEqual([kind, "caption" in more ? more.caption : null, sha256(bytes)]);
    }
  });

  it("arrives unchanged as a place, people, a poll, an event or an invitation", async () => {
    const place = { latitude: -23.5614, longitude: -46.6559, name: "MASP", address: "Av. Paulista, 1578" };
    expect((await store().arrived("location", place)).record).toMatchObject({ type: "location", location: place });
    const people = await store().arrived("contact", { contacts: [{ full_name: "Caio", phone: CAIO }] });
    expect(people.record).toMatchObject({ type: "contact", contacts: [{ full_name: "Caio", phone: CAIO }] });
    const event = await store().arrived("event", { name: "Opening", starts_at: "2030-01-15T14:00:00Z" });
    expect(event.record).toMatchObject({ type: "event", event: { name: "Opening", starts_at: 1_894_716_000 } });
    const { data } = await store().post("/groups", { subject: "Open to all", participants: [] });
    const invitation = await store().arrived("group-invite", { group_id: data.group_id, text: "Come in" });
    expect(invitation.record).toMatchObject({ group_invite: { group_id: data.group_id, subject: "Open to all" } });
  });

  it("has its votes counted as a poll, by chat id", async () => {
    const { result, record } = await store().arrived("poll", { question: "Which day?", options: ["Tuesday", "Thursday"] });
    expect(record.poll).toMatchObject({ question: "Which day?", options: ["Tuesday", "Thursday"] });
    await store().on(BIA, "vote", { chat_id: `${STORE}@c.us`, message_id: result.message_id, options: ["Thursday"] });
    const votes = async () => (await store().get(`${messagePath(result.message_id)}/votes`)).data;
    await store().become("the vote", async () => (await votes())[1].votes === 1);
    expect(await votes()).toEqual([
      { option: "Tuesday", votes: 0, voters: [] },
      { option: "Thursday", votes: 1, voters: [BIAS_CHAT] },
    ]);
  });

  it("forwards a received message", async () => {
    const source = await store().fromBia({ text: "Pass this on" });
    const sent = await store().send("forward", { to: CAIO, from_chat_id: BIAS_CHAT, message_id: source.message_id });
    expect(await store().at(CAIO, sent.message_id)).toMatchObject({ type: "text", text: "Pass this on", forwarded: true });
  });

  it("is not supported by sessions as a list, buttons or a template", async () => {
    const row = { row_id: "1", title: "First" };
    const bodies = {
      list: { body: "b", button: "x", sections: [{ title: "s", rows: [row] }] },
      buttons: { body: "b", buttons: [{ button_id: "1", title: "a" }] },
      template: { name: "a", language: "pt_BR" },
    };
    for (const [kind, body] of Object.entries(bodies)) {
      expect(await store().notSupported(`/messages/${kind}`, { to: BIA, ...body })).toEqual({ kind: "session" });
    }
  });
}

export function listeners(store: () => Store): void {
  it("streams events stored since its creation, until it is removed", async () => {
    const { data } = await store().post("/listeners", { name: "laptop", events: ["message.received"] });
    await store().fromBia({ text: "Heard by the listener" });
    const path = `/listeners/${data.id}`;
    await store().streamUntil(`${path}/events`, "Heard by the listener");
    expect(await store().ok("DELETE", path)).toEqual(DONE);
    await store().refused(store().ask("DELETE", path), 404, "listener_not_found");
  });
}

export function messages(store: () => Store): void {
  it("are looked up after an uncertain send, by reference, and by id until their ticks are blue", async () => {
    const { result } = await store().arrived("text", { text: "Did it go out?", reference: "order 2" });
    expect((await store().get("/messages?reference=order%202")).data).toMatchObject([
      { message_id: result.message_id, to: BIAS_CHAT, phone: BIA, from_me: true, source: "api", timestamp: AN_ISO_TIME },
    ]);
    await store().on(BIA, "read", { chat_id: STORE });
    await store().become("read", async () => (await store().get(`/messages/${result.message_id}`)).data.status === "read");
    expect((await store().get(messagePath(result.message_id))).data).toMatchObject({
      text: "Did it go out?",
      timeline: { accepted_at: AN_ISO_TIME, read_at: AN_ISO_TIME },
    });
  });

  it("are read with what others did: a file with its content, a quote and a reaction with their people", async () => {
    const photo = await store().fromBia({ type: "image", media: { base64: JPEG.toString("base64"), mimetype: "image/jpeg" } });
    await store().become("the file", async () => (await store().get(messagePath(photo.message_id))).data.media.url);
    const bytes = await store().bytes(`${messagePath(photo.message_id)}/media`);
    expect([bytes.headers.get("content-type"), sha256(bytes.content)]).toEqual(["image/jpeg", sha256(JPEG)]);
    const link = (await store().get(`${messagePath(photo.message_id)}/media?format=url`)).data;
    expect(sha256(Buffer.from(await (await fetch(link.url)).arrayBuffer()))).toBe(sha256(JPEG));
    const whole = (await store().get(`${messagePath(photo.message_id)}/media?format=base64`)).data;
    expect(whole).toMatchObject({ base64: JPEG.toString("base64") });
    const { result } = await store().arrived("text", { text: "Nice" });
    await store().on(BIA, "react", { chat_id: STORE, message_id: result.message_id, reaction: "👍" });
    const history = async () => (await store().get(`/chats/${BIAS_CHAT}/messages?limit=2&downloadMedia=true`)).data;
    await store().become("the reaction", async () => (await history())[0].reactions.length === 1);
    expect(await history()).toMatchObject([
      { text: "Nice", from_me: true, reactions: [{ from: BIAS_CHAT, reaction: "👍", timestamp: AN_ISO_TIME }] },
      { type: "image", from: BIAS_CHAT, phone: BIA, participant: null, media: { base64: JPEG.toString("base64") } },
    ]);
    const answer = await store().fromBia({ text: "Thanks", quoted_id: result.message_id });
    expect(answer.quoted).toMatchObject({ message_id: result.message_id, text: "Nice" });
  });

  it("are edited, and deleted for everyone", async () => {
    const { result } = await store().arrived("text", { text: "Helo" });
    const path = messagePath(result.message_id);
    await store().ok("PUT", path, { text: "Hello" });
    await store().at(BIA, result.message_id, (record) => record.edited && record.text === "Hello");
    expect((await store().get(path)).data).toMatchObject({ text: "Hello", edited_at: AN_ISO_TIME });
    expect(await store().ok("DELETE", path)).toEqual(DONE);
    await store().at(BIA, result.message_id, (record) => record.deleted);
    expect((await store().get(path)).data).toMatchObject({ text: null, deleted_at: AN_ISO_TIME });
    const theirs = await store().fromBia({ text: "mine" });
    await store().refused(store().ask("PUT", messagePath(theirs.message_id), { text: "yours" }), 403, "forbidden");
  });

  it("get reactions, stars and pins, and lose them", async () => {
    const { message_id: id } = await store().fromBia({ text: "Important" });
    const path = messagePath(id);
    for (const [reaction, count] of [
      ["❤️", 1],
      ["", 0],
    ] as const) {
      expect(await store().ok("PUT", `${path}/reaction`, { reaction })).toEqual(DONE);
      await store().at(BIA, id, ({ reactions }) => reactions.length === count);
    }
    for (const star of [true, false]) {
      expect(await store().ok("PUT", `${path}/star`, { star })).toEqual(DONE);
      await store().at(STORE, id, ({ starred }) => starred === star);
    }
    expect(await store().post(`${path}/pin`, { duration_seconds: 86_400 })).toEqual(DONE);
    await store().at(BIA, id, ({ pinned }) => pinned);
    expect(await store().post(`${path}/unpin`)).toEqual(DONE);
    await store().at(BIA, id, ({ pinned }) => !pinned);
  });

  it("are cleared from a whole chat, here and not at the other person's", async () => {
    const sent = await store().send("text", { to: CAIO, text: "To be cleared" });
    await store().at(STORE, sent.message_id);
    expect(await store().ok("DELETE", `/chats/${CAIO}@c.us/messages`)).toEqual(DONE);
    await store().become("cleared on the phone", async () => (await store().seen(STORE, `inbox?chat_id=${CAIO}`)).length === 0);
    expect(await store().at(CAIO, sent.message_id)).toMatchObject({ text: "To be cleared" });
    expect((await store().get(`/chats/${CAIO}@c.us/messages`)).data).toEqual([]);
  });
}

async function sticker(): Promise<Buffer> {
  const { default: sharp } = await import("sharp");
  return sharp({ create: { width: 512, height: 512, channels: 4, background: "#c81e1e" } })
    .webp()
    .toBuffer();
}
