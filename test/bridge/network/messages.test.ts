import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { randomBytes } from "node:crypto";
import { downloadMediaMessage, type BinaryNode } from "baileys";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import type { Addressing } from "#root/test-network/model.ts";
import { eventually } from "../../support/eventually.ts";
import { nextEvent, jidOf, link, openWorld, textIn, type Client, type World } from "./world.ts";

describe.each<Addressing>(["pn", "lid"])("one-to-one messages, addressed by %s", (addressing) => {
  let world: World;
  let anna: SimulatedPhone, bruno: SimulatedPhone, carla: SimulatedPhone;
  let a: Client, b: Client;
  const wire: string[] = [];

  beforeAll(async () => {
    world = await openWorld({ addressing });
    const receive = world.network.receive.bind(world.network);
    world.network.receive = (from, stanza: BinaryNode) => {
      wire.push(JSON.stringify(stanza, (_key, value) => (value?.type === "Buffer" ? Buffer.from(value.data).toString("latin1") : value)));
      receive(from, stanza);
    };
    [anna, bruno, carla] = [await world.phone("Anna"), await world.phone("Bruno"), await world.phone("Carla")];
    [a, b] = [await link(world, anna), await link(world, bruno)];
  });
  afterAll(async () => {
    await Promise.all([a.end(), b.end()]);
    await world.close();
  });

  it("reach the other side's devices and the sender's own phone, as ciphertext only", async () => {
    const secret = `secret ${randomBytes(8).toString("hex")}`;
    const got = textIn(b, secret);
    await a.sock.sendMessage(jidOf(bruno), { text: secret });
    expect((await got).pushName).toBe("Anna");
    await eventually("Bruno's phone", 60_000, () => bruno.inbox().find(({ text }) => text === secret));
    const copy = await eventually("Anna's phone", 60_000, () => anna.inbox().find(({ text }) => text === secret));
    expect(copy.from_me).toBe(true);
    expect(wire.join("")).not.toContain(secret);
  });

  it("come from a phone to linked devices, both of the reader and of the writer", async () => {
    const atB = textIn(b, "typed on the phone");
    const atA = textIn(a, "typed on the phone");
    await anna.sendText(bruno.pn, "typed on the phone");
    expect((await atB).key.fromMe).toBe(false);
    expect((await atA).key.fromMe).toBe(true);
  });

  it("are answered where they came from, whichever way that names the sender", async () => {
    const question = textIn(b, "which way?");
    await a.sock.sendMessage(jidOf(bruno), { text: "which way?" });
    const { key } = await question;
    expect(key.remoteJid?.endsWith("@lid")).toBe(addressing === "lid");
    const reply = textIn(a, "this way");
    await b.sock.sendMessage(key.remoteJid ?? "", { text: "this way" });
    await reply;
  });

  it("are acked, delivered and read, in that order", async () => {
    const sent = await a.sock.sendMessage(jidOf(carla), { text: "seen?" });
    // The library merges simultaneous events, so our own phone's receipt may mask the recipient's.
    const read = new Promise<void>((resolve) =>
      a.sock.ws.on("CB:receipt", ({ attrs }: BinaryNode) => {
        if (attrs["id"] === sent?.key.id && attrs["type"] === "read") resolve();
      }),
    );
    await eventually("delivery", 60_000, () => carla.inbox().some(({ text }) => text === "seen?"));
    await carla.read(anna.pn);
    await read;
  });

  it("show as read on the person's other devices and at the sender once one device has read them", async () => {
    const got = textIn(b, "read me on the phone");
    await carla.sendText(bruno.pn, "read me on the phone");
    const { key } = await got;
    await b.sock.readMessages([key]);
    await eventually("Bruno's phone", 60_000, () => bruno.inbox().find(({ text, read }) => text === "read me on the phone" && read));
    await eventually("Carla's phone", 60_000, () =>
      carla.inbox().find(({ text, status }) => text === "read me on the phone" && status === "read"),
    );
  });

  it("carry reactions, edits and deletions", async () => {
    const sent = await a.sock.sendMessage(jidOf(carla), { text: "draft" });
    const record = () => carla.inbox().find(({ message_id }) => message_id === sent?.key.id);
    await eventually("the message", 60_000, record);
    await a.sock.sendMessage(jidOf(carla), { react: { text: "👍", key: sent!.key } });
    await eventually("the reaction", 60_000, () => record()?.reactions.length === 1);
    await a.sock.sendMessage(jidOf(carla), { text: "final", edit: sent!.key });
    await eventually("the edit", 60_000, () => record()?.text === "final");
    await a.sock.sendMessage(jidOf(carla), { delete: sent!.key });
    await eventually("the deletion", 60_000, () => record()?.deleted);
  });

  it("carry files through the HTTPS host as ciphertext", async () => {
    const file = randomBytes(150_000);
    const got = nextEvent(b, "messages.upsert", ({ messages }) => messages.find(({ message }) => message?.documentMessage));
    const uploads = world.network.stats.uploads;
    await a.sock.sendMessage(jidOf(bruno), { document: file, mimetype: "application/pdf", fileName: "x.pdf" });
    const message = await got;
    expect(await downloadMediaMessage(message, "buffer", {})).toEqual(file);
    expect(world.network.stats.uploads).toBe(uploads + 1);
    const stored = world.network.blobs.get(message.message?.documentMessage?.directPath ?? "");
    expect(stored?.includes(file.subarray(0, 64))).toBe(false);
  });

  it("are sent again to a device that lost its session", async () => {
    await carla.sendText(anna.pn, "before");
    await eventually("the session", 60_000, () => world.network.directory.device(`${anna.pn}:1@s.whatsapp.net`)?.queue.size === 0);
    await anna.loseSessionsWith(carla.pn);
    await carla.sendText(anna.pn, "after the loss");
    await eventually("the resend", 60_000, () => anna.inbox().find(({ text }) => text === "after the loss"));
  });

  it("are sent again to a linked device that lost its session", async () => {
    const before = textIn(b, "before the device's loss");
    await a.sock.sendMessage(jidOf(bruno), { text: "before the device's loss" });
    await before;
    b.auth.forget("session");
    const resent = textIn(b, "after the device's loss");
    await carla.sendText(bruno.pn, "after the device's loss");
    await resent;
  });

  it("are acked and relayed again when they come twice under one id, and shown once", async () => {
    const acks: string[] = [];
    a.sock.ws.on("CB:ack,class:message", ({ attrs }: BinaryNode) => void acks.push(attrs["id"] ?? ""));
    const relayed = world.network.stats.relayed;
    const sent = await a.sock.sendMessage(jidOf(carla), { text: "once" }, { messageId: "SAMEID01" });
    await a.sock.relayMessage(jidOf(carla), sent!.message!, { messageId: "SAMEID01" });
    await eventually("two acks", 60_000, () => acks.filter((id) => id === "SAMEID01").length === 2);
    expect(world.network.stats.relayed).toBe(relayed + 2);
    await eventually("both copies dealt with", 60_000, () => world.network.directory.device(jidOf(carla))?.queue.size === 0);
    expect(carla.inbox().filter(({ message_id }) => message_id === "SAMEID01")).toHaveLength(1);
  });

  it("are refused with 404 when nobody has that number", async () => {
    const refused = new Promise<string>((resolve) => {
      a.sock.ws.on("CB:ack,class:message", (ack: BinaryNode) => ack.attrs["error"] && resolve(ack.attrs["error"]));
    });
    await a.sock.sendNode({
      tag: "message",
      attrs: { to: "5500000000000@s.whatsapp.net", id: "NOBODY", type: "text" },
      content: [{ tag: "participants", attrs: {}, content: [] }],
    });
    expect(await refused).toBe("404");
  });

  it("from a blocked sender are acked and go nowhere", async () => {
    await a.sock.updateBlockStatus(jidOf(carla), "block");
    expect(await a.sock.fetchBlocklist()).toEqual([carla.deps.lid]);
    await carla.sendText(anna.pn, "let me in");
    await a.sock.updateBlockStatus(jidOf(carla), "unblock");
    const next = textIn(a, "hello again");
    await carla.sendText(anna.pn, "hello again");
    await next;
    expect(anna.inbox().some(({ text }) => text === "let me in")).toBe(false);
  });

  it("reach a device that is linked later, by number and by LID", async () => {
    const second = await link(world, anna);
    const byNumber = textIn(second, "by number");
    await b.sock.sendMessage(jidOf(anna), { text: "by number" });
    await byNumber;
    const byLid = textIn(second, "by LID");
    await b.sock.sendMessage(anna.deps.lid, { text: "by LID" });
    await byLid;
    await second.sock.logout();
    await eventually("the device is gone", 60_000, () => world.network.directory.account(anna.pn)?.devices.size === 2);
    const rest = textIn(a, "to who is left");
    await b.sock.sendMessage(jidOf(anna), { text: "to who is left" });
    await rest;
  });

  it("leave nothing unknown to the server", () => {
    expect(world.network.stats.unknown).toEqual({});
    expect(world.network.stats.failed).toEqual({});
    expect(world.network.stats.decrypted_by_server).toBe(0);
  });
});
