// A connection's proxy carries its socket, uploads and downloads (docs/internals/sessions.md, "Proxies"): any direct connection is a leak.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { request } from "node:https";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { proto } from "baileys";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { type RealProxy, startHttpProxy, startSocksProxy } from "../../support/bridge/real-proxies.ts";
import { createAuthority, createTlsIdentity } from "#root/test-network/security/tls.ts";
import { startLoopbackProxy, type LoopbackProxy } from "../../support/bridge/loopback-proxy.ts";
import { directAccess } from "#root/session-bridge/networks/baileys/session/media-hosts.ts";
import { sendPeerMessage } from "#root/test-network/phone/history.ts";
import { checkProxy } from "#root/session-bridge/networks/baileys/socket/proxy-check.ts";
import { createProxies } from "#root/session-bridge/networks/baileys/socket/proxies.ts";
import { freshMessageId, openWorld, receivedTexts, type World } from "../durability/world.ts";
import { must } from "../phones/world.ts";

const TIMEOUT_MS = 60_000;
/** A local network accepts proxies at any address; the real one requires public addresses. */
const LOCAL = { kind: "local", url: "ws://127.0.0.1:1", root: Buffer.alloc(32), ca: "", mediaHost: "127.0.0.1:1" } as const;

let world: World;
let proxy: LoopbackProxy;
let real: Record<RealProxy["protocol"], RealProxy>;

beforeAll(async () => {
  world = await openWorld();
  proxy = await startLoopbackProxy();
  const { keyPem, certPem, caPem } = await createTlsIdentity(await createAuthority(), "127.0.0.1");
  real = { http: await startHttpProxy(), https: await startHttpProxy({ key: keyPem, cert: certPem }), socks5: await startSocksProxy() };
  // The bridge's machine trusts the proxy's certificate.
  const trust = `import tls from "node:tls"; tls.setDefaultCACertificates([...tls.getCACertificates("default"), ${JSON.stringify(caPem)}])`;
  await world.startBridge(`data:text/javascript,${encodeURIComponent(trust)}`);
});
afterAll(async () => {
  await world.close();
  await Promise.all([proxy, ...Object.values(real)].map((each) => each.close()));
});

const count = (host: string): number => proxy.reached.filter((target) => target === host).length;

describe.each(["http", "https", "socks5"] as const)("a real proxy that speaks %s and wants credentials", (protocol) => {
  it("carries the socket, uploads and downloads", async () => {
    const { url, reached } = real[protocol];
    const count = (host: string): number => reached.filter((target) => target === host).length;
    const socketHost = new URL(world.wsUrl).host;
    const { access } = world.network;
    const before = { socket: count(socketHost), media: count(world.mediaHost), lookedUp: access.lookedUp };
    const { connection, phone } = await world.link({ proxy_url: url });
    const friend = await world.newPhone();
    // One connection pairs, one logs in, and one looks up the client version at the same host, as a bridge's first session does.
    expect(count(socketHost) - before.socket).toBe(2 + access.lookedUp - before.lookedUp);
    expect(access.lookedUp).toBe(1);

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

    // Files named in a stranger's message are not fetched through the proxy either.
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
    expect(new Set(reached)).toEqual(new Set([socketHost, world.mediaHost]));
  });
});

describe("the check of a proxy", () => {
  const checked = (url: string, how: Parameters<typeof world.gateway.checkProxy>[1] = {}) => world.gateway.checkProxy(url, how);

  it.each(["http", "https", "socks5"] as const)(
    "shakes hands with the network and learns the exit address through it: %s",
    async (protocol) => {
      const { url, reached } = real[protocol];
      const before = reached.length;
      const result = await checked(url, { exit_ticket: `ticket-${protocol}` });
      expect(result).toEqual({ ok: true, latency_ms: expect.any(Number), exit: { ip: "198.51.100.7", country: "BR" } });
      expect(reached.slice(before)).toEqual([new URL(world.wsUrl).host, new URL(world.gateway.url).host]);
      // The bridge does not send its own credential, because the proxy's operator could read it.
      expect(world.gateway.exitTickets.at(-1)).toBe(`Bearer ticket-${protocol}`);
      expect(await checked(url)).toMatchObject({ ok: true, exit: null });
    },
  );

  it("does not wait behind a round of checks if it is urgent", async () => {
    const sockets = new Set<Socket>();
    const mute = createServer((socket) => void sockets.add(socket.on("error", () => socket.destroy())));
    await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
    const muteUrl = `http://127.0.0.1:${(mute.address() as AddressInfo).port}`;
    const ofRound = Array.from({ length: 150 }, () => world.gateway.askCheck(muteUrl));
    await eventually("the mute proxy is busy", TIMEOUT_MS, () => sockets.size === 100);
    expect(await checked(real.http.url, { urgent: true })).toMatchObject({ ok: true });
    const answered = world.gateway.controlFrames.flatMap((frame) => (frame.type === "proxy_checked" ? [frame.check] : []));
    expect(answered.filter((check) => ofRound.includes(check))).toEqual([]);
    mute.close();
    for (const socket of sockets) socket.destroy();
    await eventually("the round's answers", TIMEOUT_MS, () =>
      ofRound.every((check) => world.gateway.controlFrames.some((frame) => frame.type === "proxy_checked" && frame.check === check)),
    );
  });

  it("says in general words why it failed", async () => {
    for (const { url, password } of Object.values(real)) {
      const wrong = url.replace(encodeURIComponent(password), "wrong");
      expect([url.split(":")[0], await checked(wrong)]).toEqual([url.split(":")[0], { ok: false, error: "credentials_refused" }]);
    }
    const closed = await startLoopbackProxy();
    await closed.close();
    for (const url of [closed.httpUrl, closed.socksUrl]) expect(await checked(url)).toEqual({ ok: false, error: "connection_refused" });
    // This address responds, but is not a proxy.
    expect(await checked(world.gateway.url)).toMatchObject({ ok: false });
    expect(await checked("http://proxy.example.com:3128")).toEqual({ ok: false, error: "address_not_allowed" });
  });
});

it("a proxy at a non-public address is never reached on the real network", async () => {
  const network = { kind: "real" } as const;
  const dependencies = { network, direct: directAccess(network), exitAddress: new URL("https://api.example.com/") };
  const check = (url: string, reach: "address" | "network") =>
    checkProxy({ check: "c", url, reach, exit_ticket: null, start_within_ms: TIMEOUT_MS, urgent: false }, dependencies);
  for (const url of [real.http.url, real.https.url, real.socks5.url, "http://10.0.0.8:3128", "socks5://[::1]:1080", "http://localhost:1"]) {
    for (const reach of ["address", "network"] as const)
      expect([url, await check(url, reach)]).toEqual([url, { ok: false, error: "address_not_allowed" }]);
  }
  for (const { url, reached } of Object.values(real)) {
    const before = reached.length;
    const proxies = createProxies(url, dependencies.direct, network);
    if (proxies === null) throw new Error("no proxies");
    const refused = once(request("https://mmg.whatsapp.net", { agent: proxies.agent }), "error");
    expect(String(await refused)).toContain("not a public address");
    await expect(proxies.dispatcher.request({ origin: "https://mmg.whatsapp.net", path: "/x", method: "GET" })).rejects.toThrow(
      "not a public address",
    );
    expect(reached).toHaveLength(before);
  }
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

it("a proxy is used until the device of a removed connection is unlinked", async () => {
  const { connection, phone } = await world.link({ proxy_url: proxy.httpUrl });
  connection.removed = true;
  connection.socket?.terminate();
  await eventually("the session to be given up", TIMEOUT_MS, () => connection.commits > 0 && connection.rowsOf("creds").length === 0);
  expect(world.network.directory.account(phone.pn)?.devices.size).toBe(1);
});

it("a proxy error is reported", async () => {
  const closed = await startLoopbackProxy();
  await closed.close();
  const connection = world.gateway.connection({ proxy_url: closed.httpUrl });
  world.gateway.place(connection);
  expect(await connection.saw("session.closed")).toMatchObject({ code: 0, reason: "proxy_error" });
  expect(await connection.saw("session.gave_up")).toMatchObject({ reason: "proxy_error" });
});

it("a proxy is not used for the local network unless it is local too", async () => {
  const { connection } = await world.link({ proxy_url: "http://proxy.example.com:3128" });
  expect(connection.of("session.open")).toHaveLength(1);
});

describe("a download by the library itself", () => {
  /** A preloaded module that prints the host of every attempted connection. */
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

afterEach(() => void vi.useRealTimers());

it.each(["http", "https", "socks5"])("a request through a proxy that does not respond is abandoned (%s)", async (scheme) => {
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

it("a proxy's URL is http, https or socks5 only", () => {
  const direct = directAccess({ kind: "real" });
  const created = (url: string | null) => createProxies(url, direct, { kind: "real" });
  for (const url of ["http://u:p@127.0.0.1:1", "https://127.0.0.1:1", "socks5://127.0.0.1:1", "socks5h://127.0.0.1:1"])
    expect(Object.keys(created(url) ?? {}).toSorted()).toEqual(["agent", "dispatcher", "fetchAgent"]);
  expect(created(null)).toEqual({ dispatcher: direct.dispatcher });
  expect(created("ftp://127.0.0.1")).toBeNull();
  expect(created("not an address")).toBeNull();
});
