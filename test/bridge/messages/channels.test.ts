import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createChannel, followChannel, listChannels } from "#root/test-network/phone/channels.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import { eventually } from "../../support/eventually.ts";
import type { Session } from "./session.ts";
import { must, openWorld, type World } from "./world.ts";

describe("in a channel", () => {
  let world: World;
  let anna: SimulatedPhone, carla: SimulatedPhone;
  let session: Session;

  beforeAll(async () => {
    world = await openWorld();
    ({ phone: anna, session } = await world.pair("Anna"));
    carla = await world.newPhone("Carla");
  });
  afterAll(() => world.close());

  it("our own posts are settled and appear", async () => {
    const channel = must(await anna.act((phone) => createChannel(phone, "News", "of the day"))).channel_id;
    const { id, outcome } = await session.sendAndSettle(channel, { kind: "text", text: "first edition", preview: null });
    expect(outcome).toMatchObject({
      kind: "acknowledged",
      message: { chat_id: channel, type: "text", text: "first edition", sender: null },
    });
    const posts = () =>
      carla.act((phone) => phone.link.channels()).then((channels) => channels.find((one) => one.id === channel)?.messages);
    await eventually("the post", 60_000, async () => [...((await posts())?.values() ?? [])].some((post) => post.id === id));
    const media = session.media.keep(randomBytes(3_000), "image/png");
    const picture = await session.sendAndSettle(channel, { kind: "image", media, caption: "a picture", view_once: false });
    expect(picture.outcome).toMatchObject({
      kind: "acknowledged",
      message: { type: "image", text: "a picture", media: { token: media.token } },
    });
  });

  it("posts of others are reported, with their files", async () => {
    const channel = must(await carla.act((phone) => createChannel(phone, "Carla's", ""))).channel_id;
    must(await anna.act((phone) => followChannel(phone, channel, true)));
    const { message_id } = must(await carla.sendText(channel, "to all my followers"));
    expect(await session.received(message_id)).toMatchObject({
      chat_id: channel,
      sender: null,
      from_me: false,
      type: "text",
      text: "to all my followers",
    });
    // Channels publish their files unencrypted.
    const file = { bytes: randomBytes(3_000), mimetype: "image/png", filename: null, claims: { plain: true } };
    const post = must(await carla.send(channel, { type: "image", file, caption: "for everybody", view_once: false }));
    const { media } = await session.received(post.message_id);
    expect(session.media.files.get(media?.token ?? "")?.bytes).toEqual(file.bytes);
    expect((await anna.act(listChannels)).length).toBeGreaterThan(0);
  });

  it("a post is refused if the channel is not ours or does not exist", async () => {
    const channel = must(await carla.act((phone) => createChannel(phone, "Not ours", ""))).channel_id;
    expect((await session.sendAndSettle(channel, { kind: "text", text: "?", preview: null })).outcome).toMatchObject({
      kind: "refused",
      failure: { code: "forbidden" },
    });
    expect(
      (await session.sendAndSettle("120363999999999999@newsletter", { kind: "text", text: "?", preview: null })).outcome,
    ).toMatchObject({
      kind: "refused",
      failure: { code: "channel_not_found" },
    });
  });
});

describe("kinds that a connection ignores", () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(() => world.close());

  it("are not reported", async () => {
    const { phone: anna, session } = await world.pair("Anna", { ignore_channels: true, ignore_status: true, ignore_groups: true });
    const carla = await world.newPhone("Carla");
    const channel = must(await carla.act((phone) => createChannel(phone, "Noise", ""))).channel_id;
    must(await anna.act((phone) => followChannel(phone, channel, true)));
    must(await carla.sendText(channel, "noise"));
    must(await carla.sendText("status@broadcast", "noise"));
    const { message_id } = must(await carla.sendText(anna.pn, "signal"));
    await session.received(message_id);
    expect(session.eventsOf("message.upsert").map(({ message }) => message.text)).toEqual(["signal"]);
  });
});
