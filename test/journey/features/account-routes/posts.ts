// Channels and status posts.
import { expect, it } from "vitest";
import { MP4, PNG, sha256 } from "#root/test/support/sample-files.ts";
import { file, OGG } from "./messages.ts";
import { AN_ISO_TIME, BIA, CAIO, DONE, type Store, STORE } from "./store.ts";

type PhoneChannel = { channel_id: string; name: string; role: string; muted: boolean; messages: { reactions: unknown[] }[] };
type PhonePost = {
  message_id: string;
  from: string;
  type: string;
  text: string | null;
  media: { sha256: string } | null;
  deleted: boolean;
};

export function channels(store: () => Store): void {
  const atPhone = async (id: string): Promise<PhoneChannel | undefined> =>
    ((await store().seen(STORE, "channels")) as PhoneChannel[]).find(({ channel_id }) => channel_id === id);

  it("are made, written to, changed and deleted if they are ours; followers see it", async () => {
    const { data } = await store().post("/channels", { name: "News", description: "of the store" });
    const path = `/channels/${data.channel_id}`;
    expect(data).toMatchObject({ name: "News", role: "owner", created_at: AN_ISO_TIME });
    await store().on(CAIO, `channels/${data.channel_id}/follow`);
    for (const [kind, json] of [
      ["text", { text: "Only today" }],
      ["image", { ...file(PNG), caption: "Look" }],
      ["video", file(MP4, { mimetype: "video/mp4" })],
    ] as const) {
      const sent = (await store().post(`${path}/messages/${kind}`, json)).data;
      expect(sent).toMatchObject({ chat_id: data.channel_id, to: null, type: kind, status: "sent", timestamp: AN_ISO_TIME });
      expect(await store().at(CAIO, sent.message_id)).toMatchObject({ chat_id: data.channel_id, type: kind });
    }
    expect((await store().ok("PATCH", path, { name: "Old news" })).data).toMatchObject({ name: "Old news" });
    expect(await atPhone(data.channel_id)).toMatchObject({ name: "Old news", role: "owner" });
    expect((await store().get("/channels?role=owner")).data).toMatchObject([{ channel_id: data.channel_id, name: "Old news" }]);
    expect(await store().ok("DELETE", path)).toEqual(DONE);
    expect(await atPhone(data.channel_id)).toBeUndefined();
  });

  it("are followed, silenced, read, reacted to and left if they are others'", async () => {
    const { channel_id: id } = await store().on(BIA, "channels", { name: "Bia's" });
    const path = `/channels/${id}`;
    expect((await store().get(path)).data).toMatchObject({ channel_id: id, role: "guest" });
    expect(await store().post(`${path}/follow`)).toEqual(DONE);
    expect(await atPhone(id)).toMatchObject({ role: "subscriber", muted: false });
    expect(await store().post(`${path}/mute`)).toEqual(DONE);
    expect(await atPhone(id)).toMatchObject({ muted: true });
    expect(await store().post(`${path}/unmute`)).toEqual(DONE);
    expect(await atPhone(id)).toMatchObject({ muted: false });
    await store().on(BIA, "send", { chat_id: id, text: "What do you think?" });
    const read = async () => (await store().get(`${path}/messages`)).data[0];
    const message = await store().become("the message", read);
    expect(message).toMatchObject({ chat_id: id, text: "What do you think?", reactions: {}, timestamp: AN_ISO_TIME });
    expect(await store().ok("PUT", `${path}/messages/${message.server_id}/reaction`, { reaction: "👍" })).toEqual(DONE);
    expect((await atPhone(id))?.messages[0]?.reactions).toEqual([{ from: STORE, reaction: "👍" }]);
    expect((await read()).reactions).toEqual({ "👍": 1 });
    expect(await store().post(`${path}/unfollow`)).toEqual(DONE);
    expect(await atPhone(id)).toBeUndefined();
  });
}

export function statuses(store: () => Store): void {
  const posts = async (phone: string): Promise<PhonePost[]> => store().seen(phone, "statuses");
  const seen = (phone: string, id: string, is: (post: PhonePost) => boolean = () => true) =>
    store().become(`post ${id} at ${phone}`, async () => (await posts(phone)).find((post) => post.message_id === id && is(post)));

  it("go to those they name, and are taken back", async () => {
    const recipients = [CAIO];
    const kinds = [
      ["text", { text: "Open today" }, null],
      ["image", file(PNG), PNG],
      ["video", file(MP4, { mimetype: "video/mp4" }), MP4],
      ["voice", file(OGG), OGG],
    ] as const;
    const ids: string[] = [];
    for (const [kind, json, bytes] of kinds) {
      const { data } = await store().post(`/status/${kind}`, { ...json, recipients });
      expect(data).toMatchObject({ chat_id: "status@broadcast", to: null, type: kind, timestamp: AN_ISO_TIME });
      const post = await seen(CAIO, data.message_id);
      expect([post.from, post.type, post.media?.sha256]).toEqual([STORE, kind, bytes === null ? undefined : sha256(bytes)]);
      ids.push(data.message_id);
    }
    expect((await posts(BIA)).filter(({ message_id }) => ids.includes(message_id))).toEqual([]);
    expect(await store().ok("DELETE", `/status/${ids[0]}`)).toEqual(DONE);
    await seen(CAIO, ids[0]!, ({ deleted }) => deleted);
  });

  it("are read if they are others'", async () => {
    await store().on(BIA, "send", { chat_id: "status@broadcast", text: "at the beach" });
    const [post] = await store().become("the post", async () => {
      const { data } = await store().get("/status/received?limit=10");
      return data.length === 1 && (data as object[]);
    });
    expect(post).toMatchObject({ from: `${BIA}@c.us`, phone: BIA, type: "text", timestamp: AN_ISO_TIME, expires_at: AN_ISO_TIME });
  });
}
