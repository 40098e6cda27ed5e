import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { GroupMetadata } from "baileys";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import type { Addressing } from "#root/test-network/model.ts";
import { eventually } from "../../support/eventually.ts";
import { nextEvent, jidOf, link, openWorld, textIn, type Client, type World } from "./world.ts";

const codeOfError = (error: unknown): unknown => (error as { data?: unknown }).data;

describe.each<Addressing>(["lid", "pn"])("groups, members addressed by %s", (groupAddressing) => {
  let world: World;
  let anna: SimulatedPhone, bruno: SimulatedPhone, carla: SimulatedPhone, davi: SimulatedPhone;
  let a: Client, b: Client;
  let group: GroupMetadata;

  beforeAll(async () => {
    // The unmodified client uses formats that a strict network refuses.
    world = await openWorld({ groupAddressing, strict: false });
    [anna, bruno, carla, davi] = [
      await world.phone("Anna"),
      await world.phone("Bruno"),
      await world.phone("Carla"),
      await world.phone("Davi"),
    ];
    // Own events would hide receipts within the same tenth of a second (docs/internals/wire-protocol.md, "Messages and receipts").
    a = await link(world, anna, { config: { emitOwnEvents: false } });
    b = await link(world, bruno);
    const upsert = nextEvent(b, "groups.upsert", ([one]) => one?.subject === "Team");
    group = await a.sock.groupCreate("Team", [jidOf(bruno), jidOf(carla)]);
    await upsert;
  });
  afterAll(async () => {
    await Promise.all([a.end(), b.end()]);
    await world.close();
  });

  const metadata = () => a.sock.groupMetadata(group.id);
  const roleOf = async (phone: SimulatedPhone) =>
    (await metadata()).participants.find(({ id }) => world.network.directory.find(id)?.pn === phone.pn)?.admin;

  it("have the creator as owner and name people by both addresses", async () => {
    expect(group.participants).toHaveLength(3);
    expect(await roleOf(anna)).toBe("superadmin");
    const [one] = group.participants;
    expect(one?.id).toContain(groupAddressing === "lid" ? "@lid" : "@s.whatsapp.net");
    expect(groupAddressing === "lid" ? one?.phoneNumber : one?.lid).toBeTruthy();
  });

  it("carry one ciphertext to everybody, with receipts of each reader", async () => {
    const receipts: string[] = [];
    a.sock.ev.on("message-receipt.update", (updates) => receipts.push(...updates.map(({ receipt }) => receipt.userJid ?? "")));
    const got = textIn(b, "hello team");
    await a.sock.sendMessage(group.id, { text: "hello team" });
    await got;
    await eventually("Carla", 60_000, () => carla.inbox().find(({ text }) => text === "hello team"));
    await eventually("receipts", 60_000, () => new Set(receipts.map((jid) => world.network.directory.find(jid)?.pn)).size === 2);
    const back = textIn(a, "from Carla's phone");
    await carla.sendText(group.id, "from Carla's phone");
    expect((await back).key.participant).toContain(groupAddressing === "lid" ? "@lid" : "@s.whatsapp.net");
  });

  it("send a resend to the one device that asked for it", async () => {
    const writer = world.network.directory.device(a.auth.creds.me?.id);
    const waiting = (jid: string) => world.network.directory.device(jid)?.queue.size;
    // Receipts of the messages before go to Carla too.
    const devices = [anna, bruno].flatMap((phone) => [jidOf(phone), `${phone.pn}:1@s.whatsapp.net`]);
    await eventually("empty queues", 60_000, () => [...devices, jidOf(carla)].every((jid) => waiting(jid) === 0));
    world.network.faults.add({ phone: bruno.pn, kind: "hold" });
    world.network.receive(writer!, {
      tag: "message",
      attrs: { to: group.id, id: "RESEND01", type: "text", participant: `${bruno.pn}:1@s.whatsapp.net` },
      content: [{ tag: "enc", attrs: { v: "2", type: "msg", count: "1" }, content: Buffer.from("x") }],
    });
    expect(waiting(`${bruno.pn}:1@s.whatsapp.net`)).toBe(1);
    expect(waiting(jidOf(carla))).toBe(0);
    world.network.delivery.settle(world.network.directory.device(`${bruno.pn}:1@s.whatsapp.net`)!, "message", { id: "RESEND01" });
    world.network.faults.clear();
  });

  it("notify everyone of a new subject, description and setting", async () => {
    const subject = nextEvent(b, "groups.update", ([update]) => update?.subject);
    await a.sock.groupUpdateSubject(group.id, "Team 2");
    expect(await subject).toBe("Team 2");
    const description = nextEvent(b, "groups.update", ([update]) => update?.desc);
    await a.sock.groupUpdateDescription(group.id, "what we do");
    expect(await description).toBe("what we do");
    await a.sock.groupUpdateDescription(group.id, "what we really do");
    expect((await metadata()).desc).toBe("what we really do");
    await a.sock.groupUpdateDescription(group.id);
    expect((await metadata()).desc).toBeUndefined();
    const announce = nextEvent(b, "groups.update", ([update]) => update?.announce === true);
    await a.sock.groupSettingUpdate(group.id, "announcement");
    await announce;
    await a.sock.groupSettingUpdate(group.id, "locked");
    expect(await metadata()).toMatchObject({ announce: true, restrict: true });
  });

  it("restrict writing and editing to admins if so set", async () => {
    const refused = new Promise<string>((resolve) =>
      b.sock.ws.on("CB:ack,class:message", ({ attrs }) => attrs.error && resolve(attrs.error)),
    );
    await b.sock.sendMessage(group.id, { text: "may I?" });
    expect(await refused).toBe("403");
    await expect(b.sock.groupUpdateSubject(group.id, "Mine")).rejects.toSatisfy((error) => codeOfError(error) === 403);
    await a.sock.groupSettingUpdate(group.id, "not_announcement");
    await a.sock.groupSettingUpdate(group.id, "unlocked");
    await b.sock.groupUpdateSubject(group.id, "Ours");
    expect(await metadata()).toMatchObject({ subject: "Ours", announce: false, restrict: false });
  });

  it("answer for each person: added, unknown, already in, removed, not there", async () => {
    await expect(b.sock.groupParticipantsUpdate(group.id, [jidOf(davi)], "add")).rejects.toSatisfy((error) => codeOfError(error) === 403);
    const update = nextEvent(b, "group-participants.update", (one) => one.action === "add" && one);
    const added = await a.sock.groupParticipantsUpdate(group.id, [jidOf(davi), "5500000000000@s.whatsapp.net", jidOf(carla)], "add");
    expect(added.map(({ status }) => status)).toEqual(["200", "404", "409"]);
    expect((await update).participants).toHaveLength(1);
    await a.sock.groupParticipantsUpdate(group.id, [jidOf(davi)], "promote");
    expect(await roleOf(davi)).toBe("admin");
    await a.sock.groupParticipantsUpdate(group.id, [jidOf(davi)], "demote");
    expect(await roleOf(davi)).toBe(null);
    const removed = await a.sock.groupParticipantsUpdate(group.id, [jidOf(davi)], "remove");
    expect(removed[0]?.status).toBe("200");
    const again = await a.sock.groupParticipantsUpdate(group.id, [jidOf(davi)], "remove");
    expect(again[0]?.status).toBe("404");
  });

  it("are joined by invite code until it is revoked", async () => {
    await expect(b.sock.groupInviteCode(group.id)).rejects.toSatisfy((error) => codeOfError(error) === 401);
    const code = (await a.sock.groupInviteCode(group.id)) ?? "";
    const d = await link(world, davi);
    expect((await d.sock.groupGetInviteInfo(code)).id).toBe(group.id);
    expect(await d.sock.groupAcceptInvite(code)).toBe(group.id);
    await expect(d.sock.groupAcceptInvite(code)).rejects.toSatisfy((error) => codeOfError(error) === 409);
    const fresh = await a.sock.groupRevokeInvite(group.id);
    expect(fresh).not.toBe(code);
    await expect(d.sock.groupAcceptInvite(code)).rejects.toSatisfy((error) => codeOfError(error) === 410);
    await expect(d.sock.groupAcceptInvite("nobody-gave-this-out")).rejects.toSatisfy((error) => codeOfError(error) === 406);
    await d.sock.groupLeave(group.id);
    const personal = { groupJid: group.id, inviteCode: fresh ?? "", inviteExpiration: Math.floor(Date.now() / 1000) + 60 };
    expect(await d.sock.groupAcceptInviteV4(jidOf(anna), personal)).toBe(group.id);
    expect((await metadata()).participants).toHaveLength(4);
    await d.sock.groupLeave(group.id);
    expect((await metadata()).participants).toHaveLength(3);
    const added = await a.sock.groupParticipantsUpdate(group.id, [jidOf(davi)], "add");
    expect(added[0]?.status).toBe("408");
    await d.end();
  });

  it("let admins decide who joins", async () => {
    const d = await link(world, davi);
    await a.sock.groupJoinApprovalMode(group.id, "on");
    expect((await metadata()).joinApprovalMode).toBe(true);
    const asked = nextEvent(a, "group.join-request", (request) => request.action === "created" && request);
    const code = (await a.sock.groupInviteCode(group.id)) ?? "";
    expect(await d.sock.groupAcceptInvite(code)).toBeUndefined();
    expect((await asked).method).toBe("invite_link");
    const [request] = await a.sock.groupRequestParticipantsList(group.id);
    expect(world.network.directory.find(request?.["jid"])?.pn).toBe(davi.pn);
    const rejected = await a.sock.groupRequestParticipantsUpdate(group.id, [request?.["jid"] ?? ""], "reject");
    expect(rejected[0]?.status).toBe("200");
    await d.sock.groupAcceptInvite(code);
    const approved = await a.sock.groupRequestParticipantsUpdate(group.id, [request?.["jid"] ?? ""], "approve");
    expect(approved[0]?.status).toBe("200");
    expect((await metadata()).participants).toHaveLength(4);
    await a.sock.groupJoinApprovalMode(group.id, "off");
    await d.end();
  });

  it("keep member permissions, message timers and a picture", async () => {
    await a.sock.groupMemberAddMode(group.id, "all_member_add");
    await a.sock.groupToggleEphemeral(group.id, 86_400);
    expect(await metadata()).toMatchObject({ memberAddMode: true, ephemeralDuration: 86_400 });
    await a.sock.groupToggleEphemeral(group.id, 0);
    expect((await metadata()).ephemeralDuration).toBeUndefined();
    const changed = nextEvent(b, "contacts.update", (updates) => updates.find(({ id, imgUrl }) => id === group.id && imgUrl === "changed"));
    await a.sock.query({
      tag: "iq",
      attrs: { to: "@s.whatsapp.net", type: "set", xmlns: "w:profile:picture", target: group.id },
      content: [{ tag: "picture", attrs: { type: "image" }, content: Buffer.from("jpeg") }],
    });
    await changed;
    expect(await b.sock.profilePictureUrl(group.id, "image")).toContain(world.mediaHost);
  });

  it("are listed for their members only", async () => {
    expect(Object.keys(await b.sock.groupFetchAllParticipating())).toContain(group.id);
    const stranger = await link(world, await world.phone("Edu"));
    expect(await stranger.sock.groupFetchAllParticipating()).toEqual({});
    await expect(stranger.sock.groupMetadata(group.id)).rejects.toSatisfy((error) => codeOfError(error) === 403);
    await expect(stranger.sock.groupMetadata("120363000000000000@g.us")).rejects.toSatisfy((error) => codeOfError(error) === 404);
    await stranger.end();
  });

  it("answer unknown ids with an error, never with silence", async () => {
    const unknown = a.sock.query({
      tag: "iq",
      attrs: { to: group.id, type: "set", xmlns: "w:g2" },
      content: [{ tag: "no_such_thing", attrs: {} }],
    });
    await expect(unknown).rejects.toSatisfy((error) => codeOfError(error) === 501);
    expect(world.network.stats.unknown).toEqual({ "w:g2/set/no_such_thing": 1 });
  });
});
