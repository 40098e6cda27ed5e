import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BinaryNode } from "baileys";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import { eventually } from "../../support/eventually.ts";
import { nextEvent, jidOf, link, openWorld, type Client, type World } from "./world.ts";

describe("people on the network", () => {
  let world: World;
  let anna: SimulatedPhone, bruno: SimulatedPhone, shop: SimulatedPhone;
  let a: Client, b: Client;

  beforeAll(async () => {
    // The unmodified client uses formats that a strict network refuses.
    world = await openWorld({ strict: false });
    [anna, bruno, shop] = [await world.phone("Anna"), await world.phone("Bruno"), await world.phone("Padaria", { business: true })];
    [a, b] = [await link(world, anna), await link(world, bruno)];
  });
  afterAll(async () => {
    await Promise.all([a.end(), b.end()]);
    await world.close();
  });

  it("are found by number if they have an account", async () => {
    expect(await a.sock.onWhatsApp(bruno.pn, "5500000000000")).toEqual([{ jid: jidOf(bruno), exists: true }]);
  });

  it("show when they are online and when they were", async () => {
    const carla = await world.phone("Carla");
    carla.showOnline(false);
    const away = nextEvent(a, "presence.update", ({ presences }) =>
      Object.values(presences).find((one) => one.lastKnownPresence === "unavailable"),
    );
    await a.sock.presenceSubscribe(jidOf(carla));
    await away;
    const online = nextEvent(a, "presence.update", ({ presences }) =>
      Object.values(presences).some((one) => one.lastKnownPresence === "available"),
    );
    carla.showOnline(true);
    await online;
    const left = nextEvent(a, "presence.update", ({ presences }) => Object.values(presences).find((one) => one.lastSeen));
    carla.showOnline(false);
    await left;
  });

  it("show that they are typing", async () => {
    const typing = nextEvent(b, "presence.update", ({ presences }) =>
      Object.values(presences).some((one) => one.lastKnownPresence === "composing"),
    );
    await a.sock.sendPresenceUpdate("composing", jidOf(bruno));
    await typing;
  });

  it("show their about text, unless they hide it", async () => {
    await b.sock.updateProfileStatus("at the beach");
    const about = async () => ((await a.sock.fetchStatus(jidOf(bruno))) as any)?.[0]?.status;
    expect((await about()).status).toBe("at the beach");
    await b.sock.updateStatusPrivacy("none");
    expect((await about()).status).toBe("");
  });

  it("show their picture: 404 without one, 401 when hidden", async () => {
    const picture = () => a.sock.profilePictureUrl(jidOf(bruno), "image");
    await expect(picture()).rejects.toMatchObject({ data: 404 });
    const changed = nextEvent(a, "contacts.update", (updates) => updates.find(({ imgUrl }) => imgUrl === "changed"));
    await b.sock.query({
      tag: "iq",
      attrs: { to: "@s.whatsapp.net", type: "set", xmlns: "w:profile:picture" },
      content: [{ tag: "picture", attrs: { type: "image" }, content: Buffer.from("jpeg") }],
    });
    await changed;
    const response = await fetch((await picture()) ?? "");
    expect(await response.text()).toBe("jpeg");
    await b.sock.updateProfilePicturePrivacy("none");
    await expect(picture()).rejects.toMatchObject({ data: 401 });
    await b.sock.updateProfilePicturePrivacy("all");
    await b.sock.removeProfilePicture(jidOf(bruno));
    await expect(picture()).rejects.toMatchObject({ data: 404 });
  });

  it("read back the privacy settings they have chosen", async () => {
    await a.sock.updateReadReceiptsPrivacy("none");
    expect(await a.sock.fetchPrivacySettings(true)).toMatchObject({ readreceipts: "none", last: "all" });
  });

  it("show how long their messages live by default", async () => {
    await b.sock.updateDefaultDisappearingMode(604_800);
    const [mode] = ((await a.sock.fetchDisappearingDuration(jidOf(bruno))) as any) ?? [];
    expect(mode.disappearing_mode.duration).toBe(604_800);
  });

  it("show a business profile only if they are a business", async () => {
    const s = await link(world, shop);
    await s.sock.updateBussinesProfile({ description: "bread", email: "a@example.com", websites: ["https://example.com"] } as never);
    expect(await a.sock.getBusinessProfile(jidOf(shop))).toMatchObject({
      description: "bread",
      email: "a@example.com",
      website: ["https://example.com"],
    });
    expect(await a.sock.getBusinessProfile(jidOf(bruno))).toBeUndefined();
    await s.end();
  });

  it("see a call ring, and see it turned down", async () => {
    const rung: BinaryNode[] = [];
    b.sock.ws.on("CB:call", (call: BinaryNode) => void rung.push(call));
    const ringing = nextEvent(b, "call", ([call]) => call?.status === "offer" && call);
    await a.sock.query({
      tag: "call",
      attrs: { from: a.jid, to: jidOf(bruno) },
      content: [{ tag: "offer", attrs: { "call-id": "CALL1", "call-creator": a.jid }, content: [{ tag: "video", attrs: { enc: "vp8" } }] }],
    });
    const call = await ringing;
    expect(call).toMatchObject({ id: "CALL1", isVideo: true });
    const rejected = nextEvent(a, "call", ([one]) => one?.status === "reject" && one);
    await b.sock.rejectCall(call.id, call.from);
    expect((await rejected).id).toBe("CALL1");
    expect(rung).toHaveLength(1);
  });

  it("share labels and read marks across all devices of one account", async () => {
    const label = nextEvent(a, "labels.edit", (one) => one.name === "VIP");
    await anna.modify({ addLabel: { id: "7", name: "VIP", color: 3 } });
    await label;
    const before = world.network.appStateLog(world.network.directory.account(anna.pn)!, "regular").length;
    await a.sock.addChatLabel(jidOf(bruno), "7");
    await eventually(
      "the patch",
      60_000,
      () => world.network.appStateLog(world.network.directory.account(anna.pn)!, "regular").length > before,
    );
  });

  it("cannot store a patch that skips a version", () => {
    const phone = world.network.directory.device(jidOf(anna))!;
    expect(world.network.appendAppState(phone, "regular_low", 99, Buffer.alloc(0))).toBe(false);
  });

  it("see the status posts that are meant for them", async () => {
    const seen = nextEvent(b, "messages.upsert", ({ messages }) => messages.find(({ key }) => key.remoteJid === "status@broadcast"));
    await a.sock.sendMessage(
      "status@broadcast",
      { text: "my status" },
      { statusJidList: [jidOf(bruno)], backgroundColor: "#112233", font: 1 },
    );
    expect((await seen).message?.extendedTextMessage?.text).toBe("my status");
  });

  it("get a file uploaded again by the phone on request", async () => {
    const phone = world.network.directory.device(jidOf(anna))!;
    const asked = new Promise<BinaryNode>((resolve) => {
      const link = phone.online!;
      world.network.attach(phone, {
        active: true,
        end: () => {},
        send: (stanza) => (stanza.attrs["type"] === "server-error" ? resolve(stanza) : link.send(stanza)),
      });
    });
    await a.sock.sendNode({
      tag: "receipt",
      attrs: { id: "FILE1", to: a.jid, type: "server-error" },
      content: [{ tag: "rmr", attrs: { jid: jidOf(bruno), from_me: "false" } }],
    });
    const request = await asked;
    expect(request.attrs).toMatchObject({ id: "FILE1", type: "server-error", from: a.auth.creds.me?.id });
    const answered = nextEvent(a, "messages.media-update", ([update]) => update?.key.id === "FILE1" && update);
    world.network.receive(phone, {
      tag: "notification",
      attrs: { id: "FILE1", to: request.attrs["from"] ?? "", type: "mediaretry" },
      content: [
        { tag: "rmr", attrs: { jid: jidOf(bruno), from_me: "false" } },
        { tag: "error", attrs: { code: "2" } },
      ],
    });
    expect((await answered).error).toBeTruthy();
  });

  it("are logged out on both sides", async () => {
    const c = await link(world, bruno);
    const device = world.network.directory.device(`${bruno.pn}:2@s.whatsapp.net`);
    expect(device).toBeDefined();
    await c.sock.logout().catch(() => undefined);
    await eventually("the device is gone", 60_000, () => !world.network.directory.device(`${bruno.pn}:2@s.whatsapp.net`));
  });
});
