// Chats, their labels, presence and calls.
import { expect, it } from "vitest";
import { PNG, sha256 } from "#root/test/support/sample-files.ts";
import { AN_ISO_TIME, BIA, BIAS_CHAT, DONE, DUDA, NOBODY, type Store, STORE } from "./store.ts";

const CHAT = `/chats/${BIAS_CHAT}`;

export function chats(store: () => Store): void {
  const onPhone = async (phone: string = STORE, person: string = BIA) => store().seen(phone, `chats/${person}@c.us`);
  const act = async (action: string, on: (chat: any) => boolean, json?: unknown) => {
    expect(await store().post(`${CHAT}/${action}`, json)).toEqual(DONE);
    await store().become(`${action} on the phone`, async () => on(await onPhone()));
  };

  it("are listed and read", async () => {
    const { data, next_cursor } = await store().get("/chats?kind=direct&limit=200");
    expect(next_cursor).toBeNull();
    const shown = data.find((chat: { chat_id: string }) => chat.chat_id === BIAS_CHAT);
    expect(shown).toMatchObject({ kind: "direct", phone: BIA, updated_at: AN_ISO_TIME, last_message: { timestamp: AN_ISO_TIME } });
    expect((await store().get(CHAT)).data).toEqual(shown);
    await store().refused(store().ask("GET", `/chats/${NOBODY}@c.us`), 404, "chat_not_found");
  });

  it("are archived, pinned and muted on the phone, and the reverse", async () => {
    await act("archive", ({ archived }) => archived === true);
    await act("unarchive", ({ archived }) => archived === false);
    await act("pin", ({ pinned }) => pinned === true);
    await act("unpin", ({ pinned }) => pinned === false);
    await act("mute", ({ muted_until }) => muted_until > Date.now() / 1000, { duration_seconds: 3_600 });
    expect((await store().get(CHAT)).data.muted_until).toEqual(AN_ISO_TIME);
    await act("unmute", ({ muted_until }) => muted_until === null);
  });

  it("are marked as unread, then read: the author has blue ticks", async () => {
    const { message_id } = await store().fromBia({ text: "Read me" });
    await act("unread", ({ marked_unread }) => marked_unread === true);
    await act("seen", ({ marked_unread, unread_count }) => marked_unread === false && unread_count === 0);
    const receipt = await store().become("blue ticks", async () => {
      const receipts = (await store().seen(BIA, `receipts?message_id=${message_id}`)) as { kind: string }[];
      return receipts.find(({ kind }) => kind === "read");
    });
    expect(receipt).toMatchObject({ message_id, from: STORE });
  });

  it("show the other side who is typing, and lose their messages after a time", async () => {
    const typed = async () =>
      ((await store().seen(BIA, `presence?chat_id=${STORE}@c.us`)).history as { presence: string }[]).some(
        ({ presence }) => presence === "typing",
      );
    // The query subscribes, so later typing is reported.
    await typed();
    expect(await store().post(`${CHAT}/typing`, { state: "typing", duration_ms: 200 })).toEqual(DONE);
    await store().become("typing at Bia's", typed);
    for (const seconds of [86_400, 0]) {
      expect(await store().ok("PUT", `${CHAT}/disappearing`, { seconds })).toEqual(DONE);
      await store().become(`${seconds} at Bia's`, async () => (await onPhone(BIA, STORE)).disappearing_seconds === seconds);
    }
  });

  it("have a picture", async () => {
    await store().on(BIA, "picture", { base64: PNG.toString("base64") });
    const { data } = await store().get(`${CHAT}/picture?size=full`);
    expect(data.expires_at).toEqual(AN_ISO_TIME);
    expect(sha256(Buffer.from(await (await fetch(data.url)).arrayBuffer()))).toBe(sha256(PNG));
  });

  it("are deleted on the phone", async () => {
    await store().arrived("text", { text: "Not for ever" });
    const sent = await store().send("text", { to: DUDA, text: "Bye" });
    await store().at(STORE, sent.message_id);
    expect(await store().ok("DELETE", `/chats/${DUDA}@c.us`)).toEqual(DONE);
    await store().become("deleted", async () => (await onPhone(STORE, DUDA)).deleted_at !== null);
    await store().refused(store().ask("GET", `/chats/${DUDA}@c.us`), 404, "chat_not_found");
  });
}

export function labels(store: () => Store): void {
  type PhoneLabel = { label_id: string; name: string; color: number; deleted: boolean; chats: string[] };
  const atPhone = async (id: string): Promise<PhoneLabel | undefined> =>
    ((await store().seen(STORE, "labels")) as PhoneLabel[]).find(({ label_id }) => label_id === id);
  const isOnChat = async (id: string) => (await atPhone(id))?.chats.some((chat) => chat.startsWith(BIA)) === true;
  let first: string, second: string;

  it("are created and changed on the phone", async () => {
    first = (await store().post("/labels", { name: "VIP", color: 3 })).data.label_id;
    second = (await store().post("/labels", { name: "New" })).data.label_id;
    await store().become("the label", async () => (await atPhone(first))?.name === "VIP");
    expect((await store().ok("PATCH", `/labels/${first}`, { name: "Very VIP", color: 1 })).data).toMatchObject({ color_hex: "#64c4ff" });
    await store().become("the name", async () => (await atPhone(first))?.name === "Very VIP");
    expect((await store().get("/labels")).data).toMatchObject([{ label_id: first }, { label_id: second }]);
  });

  it("are put on a message and taken off it", async () => {
    const { message_id: id } = await store().fromBia({ text: "A question" });
    const path = `${CHAT}/messages/${id}/labels/${first}`;
    expect(await store().post(path)).toEqual(DONE);
    await store().at(STORE, id, ({ labels: those }) => those.length === 1 && those[0] === first);
    expect(await store().ok("DELETE", path)).toEqual(DONE);
    await store().at(STORE, id, ({ labels: those }) => those.length === 0);
  });

  it("are put on chats, taken off them, and deleted", async () => {
    expect(await store().post(`${CHAT}/labels/${first}`)).toEqual(DONE);
    await store().become("it on the chat", () => isOnChat(first));
    expect((await store().get(`/labels/${first}/chats`)).data).toMatchObject([{ chat_id: BIAS_CHAT, label_ids: [first] }]);
    expect((await store().ok("PUT", `${CHAT}/labels`, { label_ids: [second] })).data).toMatchObject([{ label_id: second }]);
    await store().become("the other on the chat", async () => (await isOnChat(second)) && !(await isOnChat(first)));
    expect((await store().get(`${CHAT}/labels`)).data).toMatchObject([{ label_id: second, chats_count: 1 }]);
    expect(await store().ok("DELETE", `${CHAT}/labels/${second}`)).toEqual(DONE);
    await store().become("none on the chat", async () => !(await isOnChat(second)));
    expect(await store().ok("DELETE", `/labels/${second}`)).toEqual(DONE);
    await store().become("it gone", async () => (await atPhone(second))?.deleted === true);
  });
}

export function presence(store: () => Store): void {
  it("is read, subscribed to and unsubscribed for a person", async () => {
    expect(await store().post(`${CHAT}/presence/subscribe`)).toEqual(DONE);
    await store().on(BIA, "presence", { presence: "online" });
    const shown = async () => (await store().get(`${CHAT}/presence`)).data;
    await store().become("online", async () => (await shown()).presence === "online");
    await store().on(BIA, "presence", { presence: "offline" });
    await store().become("offline", async () => (await shown()).presence === "offline");
    expect(await shown()).toMatchObject({ last_seen: AN_ISO_TIME, updated_at: AN_ISO_TIME, subscribed: true });
    expect((await store().get("/presence")).data.subscriptions).toEqual([BIAS_CHAT]);
    expect(await store().ok("DELETE", `${CHAT}/presence/subscribe`)).toEqual(DONE);
    expect((await store().get("/presence")).data.subscriptions).toEqual([]);
  });

  it("is seen by others for the number", async () => {
    const online = async () => (await store().seen(BIA, `presence?chat_id=${STORE}@c.us`)).online as boolean | null;
    for (const state of ["online", "offline"]) {
      expect(await store().ok("PUT", "/presence", { presence: state })).toEqual(DONE);
      await store().become(`${state} at Bia's`, async () => (await online()) === (state === "online"));
      expect((await store().get("/presence")).data.presence).toBe(state);
    }
  });
}

export function calls(store: () => Store): void {
  it("ring, are rejected, and the caller sees it", async () => {
    const { call_id } = await store().on(BIA, "call", { to: STORE });
    const listed = async () => (await store().get("/calls")).data.find((call: { call_id: string }) => call.call_id === call_id);
    expect(await store().become("the call", listed)).toMatchObject({ from: BIAS_CHAT, phone: BIA, timestamp: AN_ISO_TIME });
    expect(await store().post("/calls/reject", { call_id, from: BIA })).toEqual(DONE);
    const atBias = async () =>
      ((await store().seen(BIA, "calls")) as { call_id: string; status: string }[]).find((call) => call.call_id === call_id);
    await store().become("rejected at Bia's", async () => (await atBias())?.status === "rejected");
    await store().refused(store().ask("POST", "/calls/reject", { call_id, from: BIA }), 409, "call_ended");
  });
}
