// Channel operations: which channels are stored, and how they change.
import { afterEach, describe, expect, it } from "vitest";
import type { NetworkChannel, ChannelMessageRecord } from "@gateway/protocol/channels.ts";
import { allEnded, TestConnection } from "../fakes/connection.ts";

const CHANNEL = "120363000000000001@newsletter";
const OTHER_CHANNEL = "120363000000000002@newsletter";
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
const facts = (change: Partial<NetworkChannel> = {}): NetworkChannel => ({
  channel_id: CHANNEL,
  name: "News",
  description: null,
  invite_link: "https://example.com/channel/abcdefgh",
  role: "subscriber",
  subscribers: 7,
  verified: false,
  muted: false,
  created_at: 1_760_000_000,
  ...change,
});

afterEach(allEnded);
const list = async (connection: TestConnection, role: "owner" | "subscriber" | null = null) => {
  const listed = await connection.ask("channels.list", { role, limit: 50 });
  return listed.ok ? listed.value.items.map(({ name }) => name) : listed.code;
};

const MESSAGE: ChannelMessageRecord = {
  message_id: "M1",
  channel_id: CHANNEL,
  server_id: 101,
  timestamp: 1_760_000_000,
  type: "image",
  text: "look",
  media: { ...MEDIA, token: null },
  location: null,
  contacts: null,
  poll: null,
  forwarded: false,
  views: 3,
  reactions: [{ reaction: "👍", count: 2 }],
};

describe("channels", () => {
  it("are those the network has reported, until they are left", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([
      { type: "channel.updated", ...facts() },
      { type: "channel.updated", ...facts({ channel_id: OTHER_CHANNEL, name: "Ours", role: "owner" }) },
    ]);
    expect(await list(connection)).toEqual(["News", "Ours"]);
    expect(await list(connection, "owner")).toEqual(["Ours"]);
    await session.commit([{ type: "channel.removed", channel_id: CHANNEL }]);
    expect(await list(connection)).toEqual(["Ours"]);
  });

  it("are not added to the number's channels by a look-up", async () => {
    const { connection, session } = await TestConnection.connected();
    const reading = connection.ask("channels.get", { channel_id: CHANNEL, invite: null });
    await session.answer("channels.get", { channel: facts({ role: "guest" }), picture: { media: MEDIA, stored_at: 1 } });
    expect(await reading).toEqual({ ok: true, value: { ...facts({ role: "guest" }), picture: MEDIA, created_at: 1_760_000_000_000 } });
    expect(await list(connection)).toEqual([]);
  });

  it("are answered from the store while the network cannot be asked, if they are stored", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([{ type: "channel.updated", ...facts() }]);
    const reading = connection.ask("channels.get", { channel_id: CHANNEL, invite: null });
    await session.answer("channels.get", { channel: facts({ name: "Newer", subscribers: 8 }), picture: null });
    expect(await reading).toMatchObject({ value: { name: "Newer", subscribers: 8 } });
    await connection.ask("instance.disconnect", {});
    expect(await connection.ask("channels.get", { channel_id: CHANNEL, invite: null })).toMatchObject({ value: { name: "Newer" } });
    expect(await connection.ask("channels.get", { channel_id: null, invite: "abcdefgh" })).toMatchObject({
      code: "instance_not_connected",
    });
  });

  it("are removed once they no longer exist", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([{ type: "channel.updated", ...facts() }]);
    const reading = connection.ask("channels.get", { channel_id: CHANNEL, invite: null });
    await session.refuse("channels.get", { code: "channel_not_found" });
    expect(await reading).toEqual({ ok: false, code: "channel_not_found" });
    expect(await list(connection)).toEqual([]);
  });

  it("are not created again by a repeated key if the first call got no answer", async () => {
    const { connection, session } = await TestConnection.connected();
    const call = { idempotencyKey: "one-channel", flags: { mutating: true, counted: false, cached: false } };
    const input = { name: "News", description: null, picture: null };
    const first = connection.ask("channels.create", input, call);
    await session.frames.next("command", (frame) => frame.name === "channels.create");
    session.drop();
    expect(await first).toMatchObject({ ok: false, code: "send_outcome_unknown" });
    expect(await connection.ask("channels.create", input, call)).toMatchObject({ ok: false, code: "send_outcome_unknown" });
  });

  it("stay after their creation, even if their picture is refused", async () => {
    const { connection, session } = await TestConnection.connected();
    const creating = connection.ask("channels.create", {
      name: "News",
      description: null,
      picture: { token: "0abc", mimetype: "image/png", filename: null, size: 7 },
    });
    await session.answer("channels.create", facts({ role: "owner" }));
    await session.refuse("channels.update", { code: "network_rate_limited" });
    await session.answer("channels.get", { channel: facts({ role: "owner" }), picture: null });
    expect(await creating).toMatchObject({ ok: true, value: { channel_id: CHANNEL, role: "owner", picture: null } });
  });

  it("show the stored files of their messages", async () => {
    const { connection, session } = await TestConnection.connected();
    const { channel_id: chat_id, server_id: _, views: _views, reactions: _reactions, ...said } = MESSAGE;
    await session.commit([
      {
        type: "message.upsert",
        origin: "live",
        message: {
          ...said,
          chat_id,
          media: MEDIA,
          from_me: false,
          sender: null,
          push_name: null,
          selected: null,
          quoted: null,
          mentions: [],
          view_once: false,
          raw: null,
        },
      },
    ]);
    const reading = connection.ask("channels.messages", { channel_id: CHANNEL, limit: 50, before: null });
    await session.answer("channels.messages", { items: [MESSAGE, { ...MESSAGE, message_id: "M0", server_id: 100 }] });
    expect(await reading).toMatchObject({
      value: {
        items: [
          { server_id: 101, media: { token: "0abc" } },
          { server_id: 100, media: { token: null } },
        ],
      },
    });
  });

  it("are as many as one answer can hold: the rest is asked for by `before`", async () => {
    const { connection, session } = await TestConnection.connected();
    const reading = connection.ask("channels.messages", { channel_id: CHANNEL, limit: 50, before: null });
    const long = (server_id: number) => ({ ...MESSAGE, text: "z".repeat(400_000), message_id: `M${server_id}`, server_id });
    await session.answer("channels.messages", { items: [long(3), long(2), long(1)] });
    expect(await reading).toMatchObject({ value: { items: [{ server_id: 3 }, { server_id: 2 }] } });
  });
});
