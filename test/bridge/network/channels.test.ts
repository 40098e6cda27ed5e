import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getBinaryNodeChild, getBinaryNodeChildren, QueryIds, XWAPaths, type BinaryNode } from "baileys";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import { nextEvent, link, openWorld, type Client, type World } from "./world.ts";

describe("channels", () => {
  let world: World;
  let anna: SimulatedPhone, bruno: SimulatedPhone;
  let a: Client, b: Client;
  let channel: string;

  beforeAll(async () => {
    world = await openWorld({ strict: false });
    [anna, bruno] = [await world.phone("Anna"), await world.phone("Bruno")];
    [a, b] = [await link(world, anna), await link(world, bruno)];
    // A new channel has no picture, so this version's `newsletterCreate` fails after creating the channel.
    const result = await a.sock.query({
      tag: "iq",
      attrs: { to: "@s.whatsapp.net", type: "get", xmlns: "w:mex" },
      content: [
        {
          tag: "query",
          attrs: { query_id: QueryIds.CREATE },
          content: Buffer.from(JSON.stringify({ variables: { input: { name: "News", description: "what is new" } } })),
        },
      ],
    });
    const answer = JSON.parse(Buffer.from((getBinaryNodeChild(result, "result")?.content ?? "{}") as string | Uint8Array).toString());
    channel = answer.data[XWAPaths.xwa2_newsletter_create].id;
  });
  afterAll(async () => {
    await Promise.all([a.end(), b.end()]);
    await world.close();
  });

  const metadata = (client: Client) => client.sock.newsletterMetadata("jid", channel) as Promise<any>;

  it("are found by id and by invite code", async () => {
    const found = await metadata(a);
    expect(found.thread_metadata).toMatchObject({ name: { text: "News" }, subscribers_count: "1", picture: null });
    expect(found.viewer_metadata.role).toBe("OWNER");
    const byCode: any = await b.sock.newsletterMetadata("invite", found.thread_metadata.invite);
    expect(byCode.id).toBe(channel);
    expect(byCode.viewer_metadata.role).toBe("GUEST");
  });

  it("are followed, muted, unmuted and left", async () => {
    await b.sock.newsletterFollow(channel);
    expect((await metadata(b)).viewer_metadata).toEqual({ mute: "OFF", role: "SUBSCRIBER" });
    await b.sock.newsletterMute(channel);
    expect((await metadata(b)).viewer_metadata.mute).toBe("ON");
    await b.sock.newsletterUnmute(channel);
    await b.sock.newsletterUnfollow(channel);
    expect((await metadata(b)).viewer_metadata.role).toBe("GUEST");
    await b.sock.newsletterFollow(channel);
  });

  it("carry the owner's posts to followers, and nobody else's", async () => {
    const got = nextEvent(b, "messages.upsert", ({ messages }) => messages.find(({ key }) => key.remoteJid === channel));
    await a.sock.sendMessage(channel, { text: "extra" });
    expect((await got).message?.extendedTextMessage?.text ?? (await got).message?.conversation).toBe("extra");
    const refused = new Promise<string>((resolve) =>
      b.sock.ws.on("CB:ack,class:message", ({ attrs }: BinaryNode) => attrs["error"] && resolve(attrs["error"])),
    );
    await b.sock.sendMessage(channel, { text: "mine" });
    expect(await refused).toBe("403");
  });

  it("count views and reactions of each post", async () => {
    await a.sock.subscribeNewsletterUpdates(channel);
    const [post] = world.network.newsletters.get(channel)?.messages.values() ?? [];
    const reaction = nextEvent(a, "newsletter.reaction", (update) => update.server_id === post?.serverId && update.reaction.code);
    await b.sock.newsletterReactMessage(channel, post?.serverId ?? "", "🔥");
    expect(await reaction).toBe("🔥");
    const view = nextEvent(a, "newsletter.view", (update) => update.count);
    await b.sock.sendNode({ tag: "receipt", attrs: { id: post?.id ?? "", to: channel, type: "view", server_id: post?.serverId ?? "" } });
    expect(await view).toBe(1);
    const answer = (await b.sock.newsletterFetchMessages(channel, 10, 0, 0)) as BinaryNode;
    const [message] = getBinaryNodeChildren(getBinaryNodeChild(getBinaryNodeChild(answer, "message_updates"), "messages"), "message");
    expect(getBinaryNodeChild(message, "views_count")?.attrs).toEqual({ count: "1" });
    expect(getBinaryNodeChildren(getBinaryNodeChild(message, "reactions"), "reaction").map(({ attrs }) => attrs)).toEqual([
      { code: "🔥", count: "1" },
    ]);
    await b.sock.newsletterReactMessage(channel, post?.serverId ?? "");
    expect(post?.reactions.size).toBe(0);
  });

  it("are changed by their owner only, and followers hear of it", async () => {
    const update = nextEvent(b, "newsletter-settings.update", ({ id, update: settings }) => id === channel && settings);
    await a.sock.newsletterUpdateName(channel, "Old news");
    expect(await update).toMatchObject({ name: "Old news" });
    await a.sock.newsletterUpdateDescription(channel, "what was new");
    expect((await metadata(b)).thread_metadata).toMatchObject({ name: { text: "Old news" }, description: { text: "what was new" } });
    await expect(b.sock.newsletterUpdateName(channel, "Mine")).rejects.toThrow(/Forbidden/);
    expect(await a.sock.newsletterAdminCount(channel)).toBe(1);
  });

  it("are transferred, and deleted by their owner", async () => {
    await a.sock.newsletterChangeOwner(channel, `${bruno.pn}@s.whatsapp.net`);
    expect((await metadata(b)).viewer_metadata.role).toBe("OWNER");
    await expect(a.sock.newsletterDelete(channel)).rejects.toThrow(/Forbidden/);
    await b.sock.newsletterDemote(channel, `${anna.pn}@s.whatsapp.net`);
    expect((await metadata(a)).viewer_metadata.role).toBe("SUBSCRIBER");
    await b.sock.newsletterDelete(channel);
    await expect(metadata(b)).rejects.toThrow(/Not Found/);
  });

  it("an account reads whether it may write to new contacts", async () => {
    expect(await a.sock.fetchAccountReachoutTimelock()).toMatchObject({ isActive: false });
    const restricted = nextEvent(a, "connection.update", ({ reachoutTimeLock }) => reachoutTimeLock?.isActive && reachoutTimeLock);
    world.network.faults.add({ phone: anna.pn, kind: "refuse_send", code: 463, ms: 60_000 });
    await a.sock.sendMessage(`${bruno.pn}@s.whatsapp.net`, { text: "to a stranger" });
    await restricted;
    const restriction = await a.sock.fetchAccountReachoutTimelock();
    expect(restriction.isActive).toBe(true);
    expect(restriction.timeEnforcementEnds?.getTime()).toBeGreaterThan(Date.now());
    world.network.faults.clear();
    expect(await a.sock.fetchAccountReachoutTimelock()).toMatchObject({ isActive: false });
  });
});
