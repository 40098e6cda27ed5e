import { getBinaryNodeChildString, QueryIds } from "baileys";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { queryMex } from "#root/session-bridge/networks/baileys/queries/network-query.ts";
import { readMexNotification } from "#root/session-bridge/networks/baileys/inbound/channels.ts";
import { createChannel, followChannel, listChannels } from "#root/test-network/phone/channels.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import type { Session } from "../messages/session.ts";
import { must, openWorld, type World } from "../messages/world.ts";
import { run, runOk, refusal } from "./run-command.ts";
import { NETWORK_MODE } from "../../support/bridge/network-mode.ts";
import { eventually } from "../../support/eventually.ts";
import { PNG } from "../../support/sample-files.ts";

const NOWHERE = "120363999999999999@newsletter";

describe("channels", () => {
  let world: World;
  let anna: SimulatedPhone, carla: SimulatedPhone;
  let session: Session;
  let old: string;
  beforeAll(async () => {
    world = await openWorld();
    carla = await world.newPhone("Carla");
    old = must(await carla.act((phone) => createChannel(phone, "Old news", "from before"))).channel_id;
    ({ phone: anna, session } = await world.pair("Anna", {}, async (phone) =>
      must(await phone.act((parts) => followChannel(parts, old, true))),
    ));
  });
  afterAll(() => world.close());

  const mine = () => anna.act(listChannels);
  const one = async (id: string) => (await mine()).find(({ channel_id }) => channel_id === id);
  const theirs = async (name = "Theirs", followed = true) => {
    const id = must(await carla.act((phone) => createChannel(phone, name, "of Carla"))).channel_id;
    if (followed) await runOk(session, "channels.follow", { channel_id: id, follow: true });
    return id;
  };
  const get = (channel_id: string) => runOk(session, "channels.get", { channel_id, invite: null });

  it("are reported if they were followed before the pairing", async () => {
    expect(await session.waitForEvent("channel.updated", ({ channel_id }) => channel_id === old)).toMatchObject({
      name: "Old news",
      role: "subscriber",
      description: "from before",
    });
  });

  it("are reported on the next socket if the network refuses to list them after the pairing", async () => {
    const refuse = (phone: SimulatedPhone) =>
      world.network.faults.add({ phone: phone.pn, kind: "iq_error", code: 400, xmlns: "w:mex", times: 100 });
    const { phone, session: late } = await world.pair("Bea", {}, async (before) => {
      must(await before.act((parts) => followChannel(parts, old, true)));
      refuse(before);
    });
    await eventually("the refusal", 60_000, () => late.rows.get("bridge|caught-up") === "no channels");
    expect(late.eventsOf("channel.updated")).toEqual([]);
    world.network.faults.clear(phone.pn);
    await late.end();
    late.connect();
    await late.waitForEvent("channel.updated", ({ channel_id }) => channel_id === old);
    expect(late.rows.get("bridge|caught-up")).toBe("1");
  });

  it("are created once, without a picture, and get one later", async () => {
    const made = await runOk(session, "channels.create", { name: "News", description: "what is new" });
    expect(made).toMatchObject({
      name: "News",
      description: "what is new",
      role: "owner",
      subscribers: 1,
      verified: false,
      muted: false,
      created_at: expect.any(Number),
    });
    expect((await mine()).filter(({ name }) => name === "News")).toMatchObject([{ role: "owner" }]);
    expect(await session.waitForEvent("channel.updated", ({ channel_id }) => channel_id === made.channel_id)).toMatchObject({
      name: "News",
      role: "owner",
    });
    expect((await get(made.channel_id)).picture).toBeNull();

    await runOk(session, "channels.update", {
      channel_id: made.channel_id,
      name: "Newest",
      description: "",
      picture: session.media.keep(PNG, "image/png"),
    });
    const read = await get(made.channel_id);
    expect(read.channel).toMatchObject({ name: "Newest", description: null, role: "owner" });
    expect((await one(made.channel_id))?.picture_sha256).toBe(session.media.sha256(read.picture?.media.token));
    await runOk(session, "channels.update", { channel_id: made.channel_id, picture: null });
    expect((await get(made.channel_id)).picture).toBeNull();

    await runOk(session, "channels.remove", { channel_id: made.channel_id });
    await session.waitForEvent("channel.removed", ({ channel_id }) => channel_id === made.channel_id);
    expect(await one(made.channel_id)).toBeUndefined();
  });

  it("are not reported as failed if their creation got no answer, as they may exist", async () => {
    const query = session.sock.query;
    session.sock.query = async (node) => {
      await query(node);
      return undefined as never;
    };
    expect(await run(session, "channels.create", { name: "Silent", description: null })).toEqual(refusal({ code: "send_outcome_unknown" }));
    session.sock.query = query;
    expect((await mine()).filter(({ name }) => name === "Silent")).toHaveLength(1);
    world.network.faults.add({ phone: anna.pn, kind: "iq_error", code: 429, xmlns: "w:mex" });
    expect(await run(session, "channels.create", { name: "Refused", description: null })).toEqual(
      refusal({ code: "network_rate_limited" }),
    );
  });

  it("are found by id and by invite code", async () => {
    const id = await theirs("Found", false);
    const byId = await get(id);
    expect(byId.channel).toMatchObject({ channel_id: id, name: "Found", role: "guest" });
    const invite = byId.channel.invite_link?.split("/").at(-1) ?? "";
    expect(await runOk(session, "channels.get", { channel_id: null, invite })).toEqual(byId);
    expect(await run(session, "channels.get", { channel_id: NOWHERE, invite: null })).toEqual(refusal({ code: "channel_not_found" }));
    expect(await run(session, "channels.get", { channel_id: null, invite: "no-such-code" })).toEqual(
      refusal({ code: "channel_not_found" }),
    );
  });

  it("are read from the list when the network refuses the query, and are not reported as missing", async () => {
    const followed = await theirs("Refused");
    const stranger = await theirs("Unknown", false);
    const invite = (await get(followed)).channel.invite_link?.split("/").at(-1) ?? "";
    const { query } = session.sock;
    // Mimics a network that no longer accepts the query's format: 400 for every channel.
    const refuse = (isRefused: (asked: string) => boolean) => {
      const errors = [{ message: "Bad Request", extensions: { error_code: 400 } }];
      session.sock.query = async (iq, timeoutMs) => {
        const asked = JSON.stringify(iq.content) + (getBinaryNodeChildString(iq, "query") ?? "");
        if (!asked.includes(QueryIds.METADATA) || !isRefused(asked)) return query(iq, timeoutMs);
        const content = Buffer.from(JSON.stringify({ data: null, errors }));
        return { tag: "iq", attrs: {}, content: [{ tag: "result", attrs: {}, content }] };
      };
    };
    refuse(() => true);
    expect((await get(followed)).channel).toMatchObject({ channel_id: followed, name: "Refused", role: "subscriber" });
    expect((await runOk(session, "channels.get", { channel_id: null, invite })).channel).toMatchObject({ channel_id: followed });
    const refused = refusal({ code: "network_error", details: { network_code: 400 } });
    expect(await run(session, "channels.get", { channel_id: stranger, invite: null })).toEqual(refused);
    // The network refuses only this id, which is not a channel.
    refuse((asked) => asked.includes(NOWHERE));
    expect(await run(session, "channels.get", { channel_id: NOWHERE, invite: null })).toEqual(refusal({ code: "channel_not_found" }));
    session.sock.query = query;
  });

  it.runIf(NETWORK_MODE.strict)("are looked up in the form that a strict network accepts", async () => {
    expect(world.network.stats.deprecated["newsletter/flags"]).toBeUndefined();
    const path = "xwa2_newsletter";
    const incomplete = { fetch_creation_time: true, fetch_full_image: true, fetch_viewer_metadata: true, input: { key: old, type: "JID" } };
    const asked = queryMex(session.ctx, QueryIds.METADATA, incomplete, path);
    await expect(asked).rejects.toMatchObject({ data: 400 });
  });

  it("are followed, muted and left; only the owner changes one", async () => {
    const id = await theirs();
    expect(await one(id)).toMatchObject({ role: "subscriber", muted: false });
    expect(await session.waitForEvent("channel.updated", ({ channel_id }) => channel_id === id)).toMatchObject({
      name: "Theirs",
      role: "subscriber",
    });
    await runOk(session, "channels.mute", { channel_id: id, muted: true });
    expect(await one(id)).toMatchObject({ muted: true });
    await runOk(session, "channels.mute", { channel_id: id, muted: false });
    expect(await one(id)).toMatchObject({ muted: false });
    expect(await run(session, "channels.update", { channel_id: id, name: "Mine now" })).toEqual(refusal({ code: "forbidden" }));
    expect(await run(session, "channels.remove", { channel_id: id })).toEqual(refusal({ code: "forbidden" }));
    await runOk(session, "channels.follow", { channel_id: id, follow: false });
    await session.waitForEvent("channel.removed", ({ channel_id }) => channel_id === id);
    expect(await one(id)).toBeUndefined();
    expect(await run(session, "channels.follow", { channel_id: NOWHERE, follow: true })).toEqual(refusal({ code: "channel_not_found" }));
    expect(await run(session, "channels.mute", { channel_id: NOWHERE, muted: true })).toEqual(refusal({ code: "channel_not_found" }));
  });

  it("are reported when followed and left on the phone", async () => {
    const id = await theirs("On the phone", false);
    must(await anna.act((phone) => followChannel(phone, id, true)));
    expect(await session.waitForEvent("channel.updated", ({ channel_id }) => channel_id === id)).toMatchObject({
      name: "On the phone",
      role: "subscriber",
    });
    must(await anna.act((phone) => followChannel(phone, id, false)));
    await session.waitForEvent("channel.removed", ({ channel_id }) => channel_id === id);
  });

  it("list their messages with views and reactions, page by page", async () => {
    const id = await theirs("Read");
    for (const words of ["first", "second", "third"]) must(await carla.sendText(id, words));
    const { items } = await runOk(session, "channels.messages", { channel_id: id, limit: 2, before: null });
    expect(items).toMatchObject([
      { channel_id: id, type: "text", text: "third", reactions: [], views: expect.any(Number), timestamp: expect.any(Number) },
      { text: "second" },
    ]);
    const [, second] = items;
    const older = await runOk(session, "channels.messages", { channel_id: id, limit: 10, before: second!.server_id });
    expect(older.items).toMatchObject([{ text: "first" }]);

    await runOk(session, "channels.react", { channel_id: id, server_id: second!.server_id, reaction: "👍" });
    const reacted = await runOk(session, "channels.messages", { channel_id: id, limit: 2, before: null });
    expect(reacted.items[1]).toMatchObject({ text: "second", reactions: [{ reaction: "👍", count: 1 }] });
    expect((await one(id))?.messages.flatMap(({ reactions }) => reactions)).toEqual([{ from: anna.pn, reaction: "👍" }]);
    await runOk(session, "channels.react", { channel_id: id, server_id: second!.server_id, reaction: "" });
    expect((await one(id))?.messages.flatMap(({ reactions }) => reactions)).toEqual([]);

    expect(await run(session, "channels.react", { channel_id: id, server_id: 9_999, reaction: "👍" })).toEqual(
      refusal({ code: "message_not_found" }),
    );
    expect(await run(session, "channels.messages", { channel_id: NOWHERE, limit: 2, before: null })).toEqual(
      refusal({ code: "channel_not_found" }),
    );
  });
});

describe("a notification about a channel", () => {
  const notice = (payload: unknown) => ({
    tag: "notification",
    attrs: {},
    content: [{ tag: "update", attrs: {}, content: Buffer.from(JSON.stringify(payload)) }],
  });
  const id = "120363000000000001@newsletter";

  it.each([
    ["xwa2_notify_newsletter_on_join", { id }, { action: "followed", id, muted: false }],
    ["xwa2_notify_newsletter_on_leave", { id }, { action: "left", id, muted: false }],
    ["xwa2_notify_newsletter_on_mute_change", { id, mute: "ON" }, { action: "muted", id, muted: true }],
    ["xwa2_notify_newsletter_on_mute_change", { id, mute: "OFF" }, { action: "muted", id, muted: false }],
  ])("is read in the newer form of %s", (path, result, understood) => {
    expect(readMexNotification(notice({ data: { [path]: result } }))).toEqual([understood]);
  });

  it("is ignored if it is about something else or unreadable", () => {
    expect(readMexNotification(notice({ data: { xwa2_notify_account_reachout_timelock: { is_active: true } } }))).toEqual([]);
    expect(readMexNotification(notice("?"))).toEqual([]);
    expect(readMexNotification({ tag: "notification", attrs: {} })).toEqual([]);
  });
});
