// How the strict test network differs from the lenient one, as unmodified clients see it.
import { createHmac } from "node:crypto";
import { get } from "node:https";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { BinaryNode, WASocket } from "baileys";
import { rawSocket } from "#root/session-bridge/networks/baileys/socket/self-check-socket.ts";
import type { Device } from "#root/test-network/model.ts";
import { restrict } from "#root/test-network/new-chats.ts";
import { TestNetwork } from "#root/test-network/network.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import { eventually } from "../../support/eventually.ts";
import { closeOf, connect, jidOf, link, memoryAuth, nextEvent, openWorld, textIn, type Client, type World } from "./world.ts";

const WAIT_MS = 60_000;
const SERVER = "@s.whatsapp.net";

describe.each([
  ["strict", true],
  ["kind", false],
] as const)("a %s network", (_mode, strict) => {
  let world: World;
  let anna: SimulatedPhone, bruno: SimulatedPhone;
  let client: Client;

  beforeAll(async () => {
    world = await openWorld({ strict });
    [anna, bruno] = [await world.phone("Anna"), await world.phone("Bruno")];
    client = await link(world, anna);
    await eventually("all of the welcome", WAIT_MS, () => waiting().length === 0);
  });
  afterEach(async () => {
    for (const { stanza } of queue()) world.network.delivery.settle(device(), stanza.tag, { id: stanza.attrs["id"] ?? "" });
    if (!client.sock.ws.isOpen) client = await link(world, undefined, { auth: client.auth });
  });
  afterAll(async () => {
    await client.end();
    await world.close();
  });

  const device = (): Device => {
    const found = world.network.directory.device(client.auth.creds.me?.id);
    if (!found) throw new Error("the device is gone");
    return found;
  };
  const queue = () => [...device().queue.entries()];
  const waiting = (): string[] => queue().map(({ stanza }) => stanza.tag);
  const query = (attrs: BinaryNode["attrs"], content: BinaryNode[]) =>
    client.sock.query({ tag: "iq", attrs: { to: SERVER, id: client.sock.generateMessageTag(), ...attrs }, content });
  /** Resolves once the network has handled all earlier stanzas from the client. */
  const settled = () => query({ type: "get", xmlns: "w:p" }, [{ tag: "ping", attrs: {} }]);

  it("delivers status posts in their own stanza with its own ack only if it is strict", async () => {
    const came = nextStanza(client.sock, strict ? "status" : "message");
    const sent = await bruno.sendText("status@broadcast", "my day", { audience: [anna.pn] });
    if (!sent.ok) throw new Error(sent.code);
    const { attrs, tag } = await came;
    expect(attrs).toMatchObject({ from: "status@broadcast", id: sent.value.message_id });
    if (!strict) return eventually("its end", WAIT_MS, () => waiting().length === 0);
    const ack = (name: string) =>
      client.sock.sendNode({ tag: "ack", attrs: { class: name, id: attrs["id"] ?? "", to: attrs["from"] ?? "" } });
    await ack("message");
    await settled();
    expect(waiting()).toEqual([tag]);
    await ack("status");
    await settled();
    expect(waiting()).toEqual([]);
  });

  it.runIf(strict)("closes a connection that owes an ack, with a text and no code", async () => {
    expect(world.network.recycle(anna.pn)).toBe(0);
    const came = nextStanza(client.sock, "status");
    await bruno.sendText("status@broadcast", "unacked", { audience: [anna.pn] });
    await came;
    const word = nextStanza(client.sock, "stream:error");
    const closed = closeOf(client);
    expect(world.network.recycle(anna.pn)).toBe(1);
    expect(await word).toMatchObject({ attrs: {}, content: [{ tag: "ack" }] });
    // The library's code for this close.
    expect(await closed).toBe(500);
    // Redelivered at the next login, which closes the connection again.
    client = await link(world, undefined, { auth: client.auth });
    expect(waiting()).toEqual(["status"]);
    const closedAgain = closeOf(client);
    expect(world.network.recycle(anna.pn)).toBe(1);
    await closedAgain;
  });

  it("keeps a stanza that got an error, and withholds those behind it", async () => {
    const { attrs } = await stanzaOf(client.sock, "message", () => bruno.sendText(anna.pn, "first"));
    await eventually("its end", WAIT_MS, () => waiting().length === 0);
    await client.end();
    // This client answers the message with an error, as if it could not be read.
    world.network.delivery.enqueue(device(), {
      tag: "message",
      attrs: { ...attrs, id: "BAD" },
      content: [{ tag: "enc", attrs: { type: "msmsg" } }],
    });
    client = await link(world, undefined, { auth: client.auth });
    await settled();
    expect(waiting()).toEqual(strict ? ["message"] : []);
    if (!strict) return;
    await client.end();
    await bruno.sendText(anna.pn, "behind it");
    const sock = connect(world, client.auth);
    client.sock = sock;
    const got = textIn({ sock }, "behind it");
    await nextEvent({ sock }, "connection.update", ({ connection }) => connection === "open");
    await settled();
    expect(waiting()).toEqual(["message", "message"]);
    await sock.sendNode({ tag: "ack", attrs: { class: "message", id: "BAD", to: attrs["from"] ?? "" } });
    await got;
    await eventually("the queue is empty", WAIT_MS, () => waiting().length === 0);
  });

  it("replays missed messages in requested batches", async () => {
    await client.end();
    for (let n = 1; n <= 210; n += 1) await bruno.sendText(anna.pn, `missed ${n}`);
    const sock = connect(world, client.auth);
    client.sock = sock;
    let batches = 0;
    let came = 0;
    sock.ws.on("CB:message", () => void came++);
    const complete = nextStanza(sock, "ib", "offline");
    if (strict) {
      // The library requests one batch of a hundred; five arrive unrequested.
      await eventually("the first batch", WAIT_MS, () => came === 105);
      await eventually("the first batch is acked", WAIT_MS, () => waiting().length === 105);
      for (; waiting().length > 5; batches++) {
        const before = waiting().length;
        await sock.sendNode({ tag: "ib", attrs: {}, content: [{ tag: "offline_batch", attrs: { count: "100" } }] });
        await eventually("the next batch", WAIT_MS, () => waiting().length === Math.max(0, before - 100));
      }
      await sock.sendNode({ tag: "ib", attrs: {}, content: [{ tag: "offline_batch", attrs: { count: "100" } }] });
    }
    await complete;
    await eventually("all", WAIT_MS, () => came === 210 && waiting().length === 0);
    expect(batches).toBe(strict ? 1 : 0);
  });

  it("accepts a status post that names its viewers by phone unless it is strict", async () => {
    const viewer = (jid: string): BinaryNode => ({ tag: "to", attrs: { jid }, content: [{ tag: "enc", attrs: { type: "msg", v: "2" } }] });
    const post = async (jid: string) => {
      const id = client.sock.generateMessageTag();
      const ack = nextStanza(client.sock, "ack", undefined, ({ attrs }) => attrs["id"] === id);
      await client.sock.sendNode({
        tag: "message",
        attrs: { to: "status@broadcast", id, type: "text" },
        content: [{ tag: "participants", attrs: {}, content: [viewer(jid)] }],
      });
      return (await ack).attrs["error"];
    };
    expect(await post(jidOf(bruno))).toBe(strict ? "479" : undefined);
    expect(await post(bruno.deps.lid)).toBeUndefined();
  });

  it("accepts a message whose devices are addressed unlike its chat unless it is strict", async () => {
    const send = async (to: string, device: string) => {
      const id = client.sock.generateMessageTag();
      const ack = nextStanza(client.sock, "ack", undefined, ({ attrs }) => attrs["id"] === id);
      const part: BinaryNode = { tag: "to", attrs: { jid: device }, content: [{ tag: "enc", attrs: { type: "msg", v: "2" } }] };
      const content = [{ tag: "participants", attrs: {}, content: [part] }];
      await client.sock.sendNode({ tag: "message", attrs: { to, id, type: "text" }, content });
      return (await ack).attrs["error"];
    };
    const { lid } = bruno.deps;
    expect(await send(lid, jidOf(bruno))).toBe(strict ? "400" : undefined);
    expect(await send(jidOf(bruno), lid)).toBe(strict ? "400" : undefined);
    expect(await send(lid, lid)).toBeUndefined();
  });

  it("demands a privacy token with each message to a person only if it is strict", async () => {
    const { network } = world;
    const dario = await world.phone("Dario");
    const account = network.directory.account(anna.pn)!;
    network.demandToken(anna.pn, strict);
    const send = async (...tokens: BinaryNode[]) => {
      const id = client.sock.generateMessageTag();
      const ack = nextStanza(client.sock, "ack", undefined, ({ attrs }) => attrs["id"] === id);
      const { lid } = dario.deps;
      const part: BinaryNode = { tag: "to", attrs: { jid: lid }, content: [{ tag: "enc", attrs: { type: "msg", v: "2" } }] };
      const content = [{ tag: "participants", attrs: {}, content: [part] }, ...tokens];
      await client.sock.sendNode({ tag: "message", attrs: { to: lid, id, type: "text" }, content });
      return (await ack).attrs["error"];
    };
    const ownMaking = (lid: string): BinaryNode => {
      const salt = Buffer.from(account.nctSalt, "base64");
      return { tag: "cstoken", attrs: {}, content: createHmac("sha256", salt).update(lid).digest() };
    };
    const refused = strict ? "463" : undefined;
    expect(await send(ownMaking(dario.deps.lid))).toBeUndefined();
    expect(await send()).toBe(refused);
    expect(await send(ownMaking(bruno.deps.lid))).toBe(refused);
    expect(account.restrictedUntil).toBeUndefined();
    // After this third failure, the account may not start chats for a while.
    expect(await send({ tag: "tctoken", attrs: {}, content: Buffer.alloc(16) })).toBe(refused);
    expect(account.restrictedUntil !== undefined).toBe(strict);
    expect(await send(ownMaking(dario.deps.lid))).toBe(refused);
    // A simulated phone sends its token only on a strict network.
    const gave = strict ? nextStanza(client.sock, "notification", "tokens") : null;
    await dario.sendText(anna.pn, "hello");
    const [token] = gave === null ? [] : found(await gave, "token");
    expect(await send({ tag: "tctoken", attrs: {}, content: token?.content ?? "" })).toBeUndefined();
    restrict(network, account, undefined);
    network.demandToken(anna.pn, false);
  });

  it("reaches new accounts by LID alone and demands tokens of them only if it is strict", () => {
    const network = new TestNetwork({ strict });
    expect(network.directory.createAccount("5511900000009")).toMatchObject({ lidOnly: strict, needsToken: strict });
    network.close();
  });

  it("links by code only clients that show a browser on a known system and a nonce of one zero byte", async () => {
    const phone = await world.phone("Caio");
    const sock = connect(world, memoryAuth());
    await nextEvent({ sock }, "connection.update", ({ qr }) => qr);
    const part = (tag: string, content: string | Uint8Array) => ({ tag, attrs: {}, content });
    const outcome = async (display: string, nonce: string | Uint8Array): Promise<unknown> => {
      const request = {
        tag: "link_code_companion_reg",
        attrs: { jid: jidOf(phone), stage: "companion_hello" },
        content: [
          part("link_code_pairing_wrapped_companion_ephemeral_pub", Buffer.alloc(80)),
          part("companion_platform_id", "1"),
          part("companion_platform_display", display),
          part("link_code_pairing_nonce", nonce),
        ],
      };
      const attrs = { to: "s.whatsapp.net", type: "set", xmlns: "md", id: sock.generateMessageTag() };
      return sock.query({ tag: "iq", attrs, content: [request] }).then(
        () => "taken",
        (error: { data?: unknown }) => error.data,
      );
    };
    const zero = Uint8Array.of(0);
    expect(await outcome("Chrome (Acme)", zero)).toBe(strict ? 400 : "taken");
    expect(await outcome("Chrome (Windows)", "0")).toBe(strict ? 400 : "taken");
    expect(await outcome("Chrome (Windows)", zero)).toBe("taken");
    await sock.end(undefined);
  });

  it("answers 403 or 404 for a missing file, depending on strictness, or the status the file was removed with", async () => {
    const { blobs } = world.network;
    const status = (path: string) =>
      new Promise<number>((resolve, reject) => {
        get(`https://${world.mediaHost}${path}`, { ca: world.caPem }, (response) => resolve(response.resume().statusCode ?? 0)).on(
          "error",
          reject,
        );
      });
    const { path } = blobs.save(Buffer.from("old"));
    blobs.remove(path);
    expect(await status(path)).toBe(strict ? 403 : 404);
    const { path: gone } = blobs.save(Buffer.from("older"));
    blobs.remove(gone, 410);
    expect(await status(gone)).toBe(410);
  });

  describe("given outdated requests", () => {
    const used = (name: string) => world.network.stats.deprecated[name] ?? 0;
    /** The outcome of a query: null, or the error code. */
    const refusal = (asked: Promise<unknown>) =>
      asked.then(
        () => null,
        (error: { data?: unknown }) => error.data,
      );

    it("counts an about text in the old form, and takes the new one", async () => {
      const old = query({ type: "set", xmlns: "status" }, [{ tag: "status", attrs: {}, content: Buffer.from("old") }]);
      expect(await refusal(old)).toBe(strict ? 400 : null);
      expect(used("about/status")).toBe(1);
      const variables = { input: { text: "new", ephemeral_duration_sec: 0 } };
      await query({ type: "get", xmlns: "w:mex" }, [
        { tag: "query", attrs: { query_id: "9152604461510864" }, content: Buffer.from(JSON.stringify({ variables })) },
      ]);
      expect(world.network.directory.account(anna.pn)?.about.text).toBe("new");
    });

    it("counts a look-up by phone, and accepts one by LID", async () => {
      expect(await refusal(client.sock.onWhatsApp(bruno.pn))).toBe(strict ? 400 : null);
      expect(used("usync/contact")).toBe(1);
      const contact = { tag: "contact", attrs: { addressing_mode: "lid" } };
      const user = (phone: string) => ({ tag: "user", attrs: {}, content: [{ tag: "contact", attrs: {}, content: `+${phone}` }] });
      const answer = await query({ type: "get", xmlns: "usync" }, [
        {
          tag: "usync",
          attrs: { sid: "1", mode: "query", context: "interactive", last: "true", index: "0" },
          content: [
            { tag: "query", attrs: {}, content: [contact] },
            { tag: "list", attrs: {}, content: [user(bruno.pn), user("5511000000000")] },
          ],
        },
      ]);
      expect(found(answer, "user")).toMatchObject([
        { attrs: { jid: bruno.deps.lid, pn_jid: jidOf(bruno) }, content: [{ tag: "contact", attrs: { type: "in" } }] },
        { attrs: { pn_jid: `5511000000000${SERVER}` }, content: [{ tag: "contact", attrs: { type: "out" } }] },
      ]);
    });

    it("counts the key of a new group, and creates a group without it", async () => {
      expect(await refusal(client.sock.groupCreate("Old", []))).toBe(strict ? 400 : null);
      expect(used("create/key")).toBe(1);
      await query({ type: "set", xmlns: "w:g2", to: "@g.us" }, [{ tag: "create", attrs: { subject: "New" } }]);
      expect([...world.network.groups.values()].map(({ subject }) => subject)).toContain("New");
    });

    it("counts a sender in a typing notice, and knows the sender without it", async () => {
      const state = (attrs: BinaryNode["attrs"]) =>
        client.sock.sendNode({ tag: "chatstate", attrs: { to: jidOf(bruno), ...attrs }, content: [{ tag: "composing", attrs: {} }] });
      await state({ from: jidOf(anna) });
      await settled();
      expect(used("chatstate/from")).toBe(1);
      await state({});
      await settled();
      expect(used("chatstate/from")).toBe(1);
    });
  });
});

describe("a network that is configured to misbehave", () => {
  let world: World;
  let anna: SimulatedPhone, bruno: SimulatedPhone;
  let client: Client;

  beforeAll(async () => {
    world = await openWorld({ strict: false });
    [anna, bruno] = [await world.phone("Anna"), await world.phone("Bruno")];
    client = await link(world, anna);
  });
  afterEach(async () => {
    if (!client.sock.ws.isOpen) client = await link(world, undefined, { auth: client.auth });
  });
  afterAll(async () => {
    await client.end();
    await world.close();
  });

  it.each(["ack", "xml-not-well-formed", ""])("closes with the word '%s' and no code", async (word) => {
    const said = nextStanza(client.sock, "stream:error");
    const closed = closeOf(client);
    world.network.faults.add({ phone: anna.pn, kind: "close", word });
    const { attrs, content } = await said;
    expect(attrs).toEqual({});
    expect(content ?? []).toMatchObject(word === "" ? [] : [{ tag: word }]);
    expect(await closed).toBe(500);
  });

  it("tells a temporary ban with its end and its reason", async () => {
    const said = nextStanza(client.sock, "failure");
    world.network.faults.add({ phone: anna.pn, kind: "close", code: 402, expire: 60, reason: 104 });
    expect((await said).attrs).toMatchObject({ reason: "402", expire: "60", code: "104" });
    await eventually("the end", WAIT_MS, () => !client.sock.ws.isOpen);
  });

  it("answers upgrades with a status, as often as it was told", async () => {
    await client.end();
    world.network.access.refuseUpgrades({ status: 503, times: 2 });
    for (let n = 0; n < 2; n += 1) {
      const sock = connect(world, client.auth);
      await new Promise<void>((resolve) =>
        sock.ws.once("unexpected-response", (_request, { statusCode }) => resolve(expect(statusCode).toBe(503))),
      );
      rawSocket(sock)?.terminate();
    }
    expect(world.network.access).toMatchObject({ upgrades: null, refused: 2 });
    client = await link(world, undefined, { auth: client.auth });
  });

  it("refuses clients below a minimum version, or gives them unusable QR codes", async () => {
    const { access } = world.network;
    await client.end();
    access.minVersion = "2.3000.1999999999";
    await expect(link(world, undefined, { auth: client.auth })).rejects.toMatchObject({ code: 405 });
    const newer = await link(world, undefined, { auth: client.auth, config: { version: [2, 3000, 2_000_000_000] } });
    await newer.end();
    access.stale = "unlinkable";
    const phone = await world.phone("Dora");
    const sock = connect(world, memoryAuth());
    const qr = await nextEvent({ sock }, "connection.update", (update) => update.qr);
    expect(await phone.scan(qr)).toMatchObject({ ok: false });
    await sock.end(undefined);
    access.minVersion = null;
    client = await link(world, undefined, { auth: client.auth });
  });

  it("reaches an account by its LID alone", async () => {
    world.network.reachByLidOnly(bruno.pn, true);
    const refusal = async (jid: string, text: string) => {
      const id = client.sock.generateMessageTag();
      const ack = nextStanza(client.sock, "ack", undefined, ({ attrs }) => attrs["id"] === id);
      await client.sock.sendMessage(jid, { text }, { messageId: id });
      return (await ack).attrs["error"];
    };
    expect(await refusal(jidOf(bruno), "by phone")).toBe("463");
    expect(await refusal(bruno.deps.lid, "by LID")).toBeUndefined();
    await eventually("arrival", WAIT_MS, () => bruno.inbox().some(({ text }) => text === "by LID"));
    expect(bruno.inbox().some(({ text }) => text === "by phone")).toBe(false);
    // Messages from such an account use its LID.
    const came = nextStanza(client.sock, "message");
    await bruno.sendText(anna.pn, "hello");
    expect((await came).attrs).toMatchObject({ from: bruno.deps.lid, sender_pn: jidOf(bruno) });
  });

  it("answers 403 for every file when told to", async () => {
    const { path } = world.network.blobs.save(Buffer.from("here"));
    world.network.blobs.trouble = { kind: "forbidden" };
    const status = await new Promise((resolve, reject) => {
      get(`https://${world.mediaHost}${path}`, { ca: world.caPem }, (response) => resolve(response.resume().statusCode)).on(
        "error",
        reject,
      );
    });
    expect(status).toBe(403);
    world.network.blobs.trouble = null;
  });
});

it("a network recycles lines by its own clock", async () => {
  // Linking takes a while, and a line owes acks meanwhile.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const world = await openWorld({ strict: true, recycleMs: 2_000 });
  const [anna, bruno] = [await world.phone("Anna"), await world.phone("Bruno")];
  const client = await link(world, anna);
  const closed = closeOf(client);
  await stanzaOf(client.sock, "status", () => bruno.sendText("status@broadcast", "unacked", { audience: [anna.pn] }));
  vi.advanceTimersByTime(2_000);
  vi.useRealTimers();
  expect(await closed).toBe(500);
  expect(world.network.stats.recycled).toBe(1);
  await world.close();
});

function nextStanza(sock: WASocket, tag: string, child?: string, suits: (node: BinaryNode) => boolean = () => true): Promise<BinaryNode> {
  return new Promise((resolve, reject) => {
    const name = child === undefined ? `CB:${tag}` : `CB:${tag},,${child}`;
    const timer = setTimeout(() => reject(new Error(`${name} did not come`)), WAIT_MS);
    const take = (node: BinaryNode): void => {
      if (!suits(node)) return;
      clearTimeout(timer);
      sock.ws.off(name, take);
      resolve(node);
    };
    sock.ws.on(name, take);
  });
}

async function stanzaOf(sock: WASocket, tag: string, cause: () => Promise<unknown>): Promise<BinaryNode> {
  const came = nextStanza(sock, tag);
  await cause();
  return came;
}

/** All nodes with this tag, in order. */
function found(node: BinaryNode, tag: string): BinaryNode[] {
  const below = Array.isArray(node.content) ? node.content.flatMap((one) => found(one, tag)) : [];
  return node.tag === tag ? [node, ...below] : below;
}
