// A connection's proxy carries its socket, its uploads and its downloads (docs/durability.md, "Proxies"): a missing one is a leak.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { request } from "node:https";
import { createServer, type AddressInfo } from "node:net";
import { proto } from "baileys";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { startLoopbackProxy, type LoopbackProxy } from "../../support/bridge/loopback-proxy.ts";
import { directAccess } from "../../../session-bridge/networks/baileys/session/media-hosts.ts";
import { sendPeerMessage } from "../../../test-network/phone/history.ts";
import { createProxies } from "../../../session-bridge/networks/baileys/socket/proxies.ts";
import { freshMessageId, openWorld, receivedTexts, type World } from "../durability/world.ts";
import { must } from "../phones/world.ts";

const TIMEOUT_MS = 60_000;
/** Proxies of the real network must be at public addresses. */
const LOCAL = { kind: "local", url: "ws://127.0.0.1:1", root: Buffer.alloc(32), ca: "", mediaHost: "127.0.0.1:1" } as const;

let world: World;
let proxy: LoopbackProxy;

beforeAll(async () => {
  world = await openWorld();
  proxy = await startLoopbackProxy();
  await world.startBridge();
});
afterAll(async () => {
  await world.close();
  await proxy.close();
});

const count = (host: string): number => proxy.reached.filter((target) => target === host).length;

describe.each([
  ["HTTP", () => proxy.httpUrl],
  ["SOCKS5", () => proxy.socksUrl],
] as const)("a proxy that speaks %s", (_name, url) => {
  it("carries the socket, uploads and downloads", async () => {
    const socketHost = new URL(world.wsUrl).host;
    const before = { socket: count(socketHost), media: count(world.mediaHost) };
    const { connection, phone } = await world.link({ proxy_url: url() });
    const friend = await world.newPhone();
    // One to pair, one to log in.
    expect(count(socketHost) - before.socket).toBe(2);

    world.gateway.files.set("upload", { bytes: Buffer.from("from here"), mimetype: "text/plain", filename: "out.txt" });
    const uploads = world.network.stats.uploads;
    const asked = await connection.command("send", {
      message_id: freshMessageId(),
      chat_id: `${friend.pn}@c.us`,
      quoted: null,
      mentions: [],
      mention_all: false,
      typing_ms: 0,
      status: null,
      content: { kind: "document", caption: "out", media: { token: "upload", mimetype: "text/plain", filename: "out.txt", size: 9 } },
    });
    expect(asked).toMatchObject({ ok: true });
    await eventually("the document at the friend", TIMEOUT_MS, () => friend.inbox().some(({ text }) => text === "out"));
    expect(world.network.stats.uploads - uploads).toBe(1);
    expect(count(world.mediaHost) - before.media).toBe(1);

    const file = { bytes: Buffer.from("from there"), mimetype: "text/plain", filename: "in.txt" };
    await friend.send(`${phone.pn}@c.us`, { type: "document", file, caption: "in" });
    await eventually("the document at the connection", TIMEOUT_MS, () => receivedTexts(connection).includes("in"));
    const received = connection.of("message.upsert").find(({ message }) => message.text === "in");
    expect(world.gateway.files.get(received?.message.media?.token ?? "")?.bytes).toEqual(file.bytes);
    expect(count(world.mediaHost) - before.media).toBe(2);

    // Where a stranger's message says that its file lies: not through the proxy either.
    for (const address of ["https://10.0.0.1/x", `https://${new URL(world.gateway.url).host}/x`]) {
      const { message_id } = must(
        await friend.send(`${phone.pn}@c.us`, { type: "document", file: { ...file, claims: { url: address } }, caption: address }),
      );
      await eventually("the message", TIMEOUT_MS, () =>
        connection.of("message.upsert").some((event) => event.message.message_id === message_id),
      );
      const told = connection.of("message.upsert").find(({ message }) => message.message_id === message_id)?.message;
      expect(told).toMatchObject({ text: address, media: { token: null } });
    }
    expect(new Set(proxy.reached)).toEqual(new Set([socketHost, world.mediaHost]));
  });
});

describe("another proxy", () => {
  it("applies to the current connection too, which is reopened through it", async () => {
    const other = await startLoopbackProxy();
    const socketHost = new URL(world.wsUrl).host;
    const { connection } = await world.link({ proxy_url: proxy.httpUrl });
    const before = count(socketHost);
    connection.change({ proxy_url: other.socksUrl });
    await eventually("a second line", TIMEOUT_MS, () => connection.of("session.open").length === 2);
    expect([other.reached, count(socketHost)]).toEqual([[socketHost], before]);
    connection.change({ proxy_url: null });
    await eventually("a third line", TIMEOUT_MS, () => connection.of("session.open").length === 3);
    expect([other.reached.length, count(socketHost)]).toEqual([1, before]);
    await other.close();
  });

  it("is no reason to reconnect when only other settings change", async () => {
    const { connection, phone } = await world.link({ proxy_url: proxy.httpUrl });
    connection.change({ ignore_groups: true });
    const friend = await world.newPhone();
    await friend.send(`${phone.pn}@c.us`, { type: "text", text: "still here" });
    await eventually("a message", TIMEOUT_MS, () => receivedTexts(connection).includes("still here"));
    expect(connection.of("session.open")).toHaveLength(1);
  });
});

it("is used until the device of a removed connection is unlinked", async () => {
  const { connection, phone } = await world.link({ proxy_url: proxy.httpUrl });
  connection.removed = true;
  connection.socket?.terminate();
  await eventually("the session to be given up", TIMEOUT_MS, () => connection.commits > 0 && connection.rowsOf("creds").length === 0);
  expect(world.network.directory.account(phone.pn)?.devices.size).toBe(1);
});

it("reports a proxy error", async () => {
  const closed = await startLoopbackProxy();
  await closed.close();
  const connection = world.gateway.connection({ proxy_url: closed.httpUrl });
  world.gateway.place(connection);
  expect(await connection.saw("session.closed")).toMatchObject({ code: 0, reason: "proxy_error" });
  expect(await connection.saw("session.gave_up")).toMatchObject({ reason: "proxy_error" });
});

it("is not used for the local network unless it is local too", async () => {
  const { connection } = await world.link({ proxy_url: "http://proxy.example.com:3128" });
  expect(connection.of("session.open")).toHaveLength(1);
});

describe("what the library downloads by itself", () => {
  /** A preloaded module that prints every host to which a connection is tried. */
  const PRINT_HOSTS = `data:text/javascript,${encodeURIComponent(
    "import { subscribe } from 'node:diagnostics_channel'; subscribe('undici:client:beforeConnect', ({ connectParams }) => console.error(`tried ${connectParams.host}`));",
  )}`;

  it("comes from hosts of the network only", async () => {
    const bridge = await world.startBridge(PRINT_HOSTS);
    const { connection, phone } = await world.link();
    const friend = await world.newPhone();
    const file = { bytes: Buffer.from("honest"), mimetype: "text/plain", filename: "a.txt" };
    const type = proto.Message.ProtocolMessage.Type.HISTORY_SYNC_NOTIFICATION;
    // Appended to the standard host's name.
    const historySyncNotification = { syncType: 3, chunkOrder: 1, progress: 50, mediaKey: randomBytes(32), directPath: ".example.com/x" };
    await phone.act((own) => sendPeerMessage(own, 1, { protocolMessage: { type, historySyncNotification } as never }));
    await friend.send(`${phone.pn}@c.us`, { type: "document", file, caption: "after the history" });
    await eventually("the document", TIMEOUT_MS, () => receivedTexts(connection).includes("after the history"));
    const tried = () => [...bridge.output().matchAll(/^tried (.*)$/gm)].map(([, host]) => host);
    await eventually("the document's host", TIMEOUT_MS, () => tried().includes(world.mediaHost));
    expect(tried().filter((host) => host !== new URL(world.gateway.url).host)).toEqual([world.mediaHost]);
  });
});

it.each(["http", "https", "socks5"])("is given up when it does not answer (%s)", async (scheme) => {
  const [asked, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const mute = createServer((socket) => {
    socket.once("data", () => asked.resolve()).once("close", () => closed.resolve());
  });
  await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
  const proxies = createProxies(`${scheme}://127.0.0.1:${(mute.address() as AddressInfo).port}`, directAccess(LOCAL), LOCAL);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const refused = once(request("https://mmg.whatsapp.net", { agent: proxies?.agent }), "error");
  await asked.promise;
  await vi.advanceTimersByTimeAsync(30_000);
  vi.useRealTimers();
  expect(await refused).toHaveLength(1);
  await closed.promise;
  mute.close();
});

it("supports http, https and socks5 URLs only", () => {
  const direct = directAccess({ kind: "real" });
  const created = (url: string | null) => createProxies(url, direct, { kind: "real" });
  for (const url of ["http://u:p@127.0.0.1:1", "https://127.0.0.1:1", "socks5://127.0.0.1:1", "socks5h://127.0.0.1:1"])
    expect(Object.keys(created(url) ?? {}).toSorted()).toEqual(["agent", "dispatcher", "fetchAgent"]);
  expect(created(null)).toEqual({ dispatcher: direct.dispatcher });
  expect(created("ftp://127.0.0.1")).toBeNull();
  expect(created("not an address")).toBeNull();
});
