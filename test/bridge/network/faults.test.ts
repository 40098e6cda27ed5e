import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { generateMessageIDV2, type BinaryNode } from "baileys";
import { CLOSE_CODES, type Fault } from "#root/test-network/faults.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import { eventually } from "../../support/eventually.ts";
import { closeOf, nextEvent, jidOf, link, openWorld, textIn, type Client, type World } from "./world.ts";

describe("faults", () => {
  let world: World;
  let anna: SimulatedPhone, bruno: SimulatedPhone;
  let client: Client;

  beforeAll(async () => {
    world = await openWorld();
    [anna, bruno] = [await world.phone("Anna"), await world.phone("Bruno")];
    client = await link(world, anna, { config: { emitOwnEvents: false } });
  });
  beforeEach(async () => {
    world.network.faults.clear();
    if (!client.sock.ws.isOpen) client = await link(world, undefined, { auth: client.auth });
  });
  afterAll(async () => {
    await client.end();
    await world.close();
  });

  const fault = (kind: Fault["kind"], rest: Partial<Fault> = {}) => world.network.faults.add({ phone: anna.pn, kind, ...rest });

  /** Sends a text; resolves to the ack's attributes, or to null if a later stanza was answered first. */
  async function send(text: string): Promise<BinaryNode["attrs"] | null> {
    const id = generateMessageIDV2(client.jid);
    let ack: BinaryNode["attrs"] | null = null;
    const listen = ({ attrs }: BinaryNode): void => void (attrs["id"] === id && (ack = attrs));
    client.sock.ws.on("CB:ack,class:message", listen);
    await client.sock.sendMessage(jidOf(bruno), { text }, { messageId: id });
    await client.sock.query({
      tag: "iq",
      attrs: { to: "@s.whatsapp.net", type: "get", xmlns: "w:p" },
      content: [{ tag: "ping", attrs: {} }],
    });
    client.sock.ws.off("CB:ack,class:message", listen);
    return ack;
  }
  const arrived = (text: string) => bruno.idle().then(() => bruno.inbox().some((message) => message.text === text));

  // 515 and 401 are tested separately below.
  it.each(CLOSE_CODES.filter((code) => code !== 401))("close with %i, as the client sees it", async (code) => {
    const closed = closeOf(client);
    fault("close", { code });
    expect(await closed).toBe(code);
  });

  it("refuse a send with the given code, the given number of times", async () => {
    fault("refuse_send", { code: 463, times: 2 });
    expect(await send("one")).toMatchObject({ error: "463" });
    expect(await send("two")).toMatchObject({ error: "463" });
    expect((await send("three"))?.["error"]).toBeUndefined();
    expect(await arrived("three")).toBe(true);
    expect(await arrived("one")).toBe(false);
  });

  it("swallow the ack of a message that arrives", async () => {
    fault("swallow_send");
    expect(await send("swallowed")).toBeNull();
    await eventually("arrival", 60_000, () => arrived("swallowed"));
  });

  it("lose a message altogether", async () => {
    fault("lose_send");
    expect(await send("lost")).toBeNull();
    expect((await send("not lost"))?.["error"]).toBeUndefined();
    await eventually("arrival", 60_000, () => arrived("not lost"));
    expect(await arrived("lost")).toBe(false);
  });

  it("refuse a query, optionally of one namespace", async () => {
    fault("iq_error", { code: 429, xmlns: "usync" });
    await client.sock.fetchBlocklist();
    await expect(client.sock.fetchStatus(jidOf(bruno))).rejects.toMatchObject({ data: 429 });
    expect(await client.sock.fetchStatus(jidOf(bruno))).toHaveLength(1);
  });

  it("drop the answer of an executed query", async () => {
    fault("swallow_answer", { xmlns: "w:g2" });
    const create = {
      tag: "iq",
      attrs: { to: "@g.us", type: "set", xmlns: "w:g2" },
      content: [{ tag: "create", attrs: { subject: "Quiet" } }],
    };
    await expect(client.sock.query(create, 500)).rejects.toThrow("Timed Out");
    expect([...world.network.groups.values()].map(({ subject }) => subject)).toContain("Quiet");
  });

  it("hold back what comes in until released, then deliver it as missed", async () => {
    fault("hold");
    await bruno.sendText(anna.pn, "while held");
    await eventually("the queue", 60_000, () => world.network.directory.device(`${anna.pn}:1@s.whatsapp.net`)?.queue.size);
    const got = nextEvent(
      client,
      "messages.upsert",
      ({ messages, type }) =>
        messages.some(({ message }) => message?.conversation === "while held" || message?.extendedTextMessage?.text === "while held") &&
        type,
    );
    fault("release");
    expect(await got).toBe("append");
  });

  it("survive a reconnect, and let the client's own sends pass", async () => {
    fault("hold");
    await client.end();
    await bruno.sendText(anna.pn, "still held");
    client = await link(world, undefined, { auth: client.auth, config: { emitOwnEvents: false } });
    expect((await send("out while held"))?.["error"]).toBeUndefined();
    expect(world.network.directory.device(`${anna.pn}:1@s.whatsapp.net`)?.queue.size).toBeGreaterThan(0);
    const got = textIn(client, "still held");
    fault("release");
    await got;
  });

  it("delay what the client sends, in order", async () => {
    fault("delay", { ms: 150, times: 1 });
    const started = performance.now();
    await send("late");
    expect(performance.now() - started).toBeGreaterThanOrEqual(140);
    await eventually("arrival", 60_000, () => arrived("late"));
  });

  it("drop one line each", async () => {
    const closed = closeOf(client);
    fault("drop_socket");
    expect(await closed).toBe(428);
    client = await link(world, undefined, { auth: client.auth });
    const got = textIn(client, "back");
    await bruno.sendText(anna.pn, "back");
    await got;
  });

  it("do not affect the phone itself", async () => {
    fault("lose_send", { times: 9 });
    await anna.sendText(bruno.pn, "from the phone");
    await eventually("arrival", 60_000, () => arrived("from the phone"));
  });

  it("refuse logins too while closes are left", async () => {
    fault("close", { code: 503, times: 2 });
    await expect(link(world, undefined, { auth: client.auth })).rejects.toMatchObject({ code: 503 });
  });

  it("unlink the device when they close it with 401", async () => {
    const closed = closeOf(client);
    fault("close", { code: 401 });
    expect(await closed).toBe(401);
    expect([...anna.deps.link.devicesOf(anna.pn)]).toEqual([0]);
    await expect(link(world, undefined, { auth: client.auth })).rejects.toMatchObject({ code: 401 });
    client = await link(world, anna);
  });

  it("let a second login win over the first", async () => {
    const closed = closeOf(client);
    const newer = await link(world, undefined, { auth: client.auth });
    expect(await closed).toBe(440);
    client = newer;
  });
});
