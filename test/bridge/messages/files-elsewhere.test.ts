// A message states where its file is, and its sender may have invented that (docs/operate/untrusted-input.md, "Incoming files").
import { createServer as createPlainServer, get } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { randomBytes } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import tls from "node:tls";
import { downloadExternalBlob, proto } from "baileys";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { fileUrl, mediaHostsOf, publicLookup } from "#root/session-bridge/networks/baileys/session/media-hosts.ts";
import { createAuthority, createTlsIdentity } from "#root/test-network/security/tls.ts";
import { sendPeerMessage } from "#root/test-network/phone/history.ts";
import type { FileClaims } from "#root/test-network/phone/messages/outgoing-content.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import { setPicture } from "#root/test-network/phone/profile.ts";
import { JPEG } from "../../support/sample-files.ts";
import { run } from "../commands/run-command.ts";
import type { Session } from "./session.ts";
import { chatOf, must, openWorld, type World } from "./world.ts";

describe("a file with a false location", () => {
  let world: World;
  let anna: SimulatedPhone, carla: SimulatedPhone;
  let session: Session;
  const servers: Server[] = [];
  let [secure, plain] = ["", ""];
  /** Connections and requests seen by a listener, and `host:port` of every attempted connection. */
  let accepted: string[] = [];
  let tried: string[] = [];

  const seeTried = (message: unknown) => {
    const { connectParams } = message as { connectParams: { host: string } };
    if (connectParams.host !== world.mediaHost) tried.push(connectParams.host);
  };

  beforeAll(async () => {
    world = await openWorld();
    ({ phone: anna, session } = await world.pair("Anna"));
    carla = await world.newPhone("Carla");
    // The listener's certificate is trusted, so only the rule prevents a connection.
    const { keyPem: key, certPem: cert, caPem } = await createTlsIdentity(await createAuthority(), "127.0.0.1");
    tls.setDefaultCACertificates([...tls.getCACertificates("default"), caPem]);
    const answer = (_request: unknown, response: { end(body: string): void }) => {
      accepted.push("request");
      response.end("secret of the inside");
    };
    for (const server of [createServer({ key, cert }, answer), createPlainServer(answer)]) {
      server.on("connection", () => accepted.push("connection"));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      servers.push(server);
    }
    [secure = "", plain = ""] = servers.map((server) => `127.0.0.1:${(server.address() as AddressInfo).port}`);
    subscribe("undici:client:beforeConnect", seeTried);
  });
  beforeEach(() => {
    [accepted, tried] = [[], []];
  });
  afterEach(() => {
    world.network.blobs.trouble = null;
    expect({ accepted, tried }).toEqual({ accepted: [], tried: [] });
  });
  afterAll(async () => {
    unsubscribe("undici:client:beforeConnect", seeTried);
    for (const server of servers) server.close();
    await world.close();
  });

  const open = { plain: true, unhashed: true };
  const dataUrl = (bytes: Buffer) => `data:application/octet-stream;base64,${bytes.toString("base64")}`;
  const sendPicture = async (claims: FileClaims, to = anna.pn, bytes = randomBytes(2_000)) =>
    must(
      await carla.send(to, {
        type: "image",
        file: { bytes, mimetype: "image/png", filename: null, claims },
        caption: null,
        view_once: false,
      }),
    ).message_id;

  const CASES: readonly [string, () => Pick<FileClaims, "url" | "directPath">][] = [
    ["on loopback", () => ({ url: `https://${secure}/x` })],
    ["on loopback, without TLS", () => ({ url: `http://${plain}/internal/bridges` })],
    ["at a private address", () => ({ url: "https://10.0.0.1/x" })],
    ["where a cloud shows its secrets", () => ({ url: "http://169.254.169.254/latest/meta-data" })],
    ["at somebody's host", () => ({ url: "https://files.example.com/x" })],
    ["in a data URL", () => ({ url: dataUrl(Buffer.from("made up")) })],
    ["on this machine's disk", () => ({ url: "file:///etc/passwd" })],
    ["behind a path that changes the host", () => ({ directPath: `@${secure}/x` })],
    ["behind a path that is a name's end", () => ({ directPath: ".example.com/x" })],
    ["behind a path with two slashes", () => ({ directPath: `//${secure}/x` })],
    ["with a password for the network's host", () => ({ url: `https://user:password@${world.mediaHost}/x` })],
    ["nowhere", () => ({ url: "not a url" })],
  ];
  // With a key and a hash, only the URL is suspicious; without them it could be any file on a host.
  describe.each([
    ["with a key", {}],
    ["without a key", open],
  ])("%s", (_key, claims) => {
    it.each(CASES)("%s is not downloaded, and the message is reported without it", async (_name, where) => {
      const { type, media } = await session.received(await sendPicture({ ...where(), ...claims }));
      expect([type, media?.token, media?.mimetype]).toEqual(["image", null, "image/png"]);
    });
  });

  it("in a data URL is rejected, even if it is the right file", async () => {
    const honest = carla.deps.link.storeBlob;
    carla.deps.link.storeBlob = (sealed) => ({ url: dataUrl(sealed), directPath: "" });
    const { media } = await session.received(await sendPicture({}));
    carla.deps.link.storeBlob = honest;
    expect(media).toMatchObject({ token: null, mimetype: "image/png" });
  });

  it("behind a redirect of the network's host is not fetched", async () => {
    for (const location of [`https://${secure}/x`, `http://${plain}/x`, `https://${world.mediaHost}/elsewhere`]) {
      world.network.blobs.trouble = { kind: "redirect", location };
      expect((await session.received(await sendPicture({}))).media).toMatchObject({ token: null });
    }
    expect(session.media.files.size).toBe(0);
  });

  it("is downloaded from the network's host by its path when only the URL is wrong", async () => {
    const bytes = randomBytes(2_000);
    const honest = carla.deps.link.storeBlob;
    let directPath = "";
    carla.deps.link.storeBlob = (sealed) => {
      const stored = honest(sealed);
      ({ directPath } = stored);
      return { ...stored, url: "https://web.whatsapp.net" };
    };
    const { media } = await session.received(await sendPicture({}, anna.pn, bytes));
    carla.deps.link.storeBlob = honest;
    expect(directPath).not.toBe("");
    expect(session.media.files.get(media?.token ?? "")?.bytes).toEqual(bytes);
  });

  it("without a key or a hash is rejected outside channels, even on the network's host", async () => {
    for (const claims of [{ plain: true }, { unhashed: true }])
      expect((await session.received(await sendPicture(claims))).media).toMatchObject({ token: null });
  });

  it("is not fetched on a later request", async () => {
    const id = await sendPicture({ url: `https://${secure}/x` });
    const { raw } = await session.received(id);
    expect(await run(session, "messages.fetch_media", { raw: raw ?? "" })).toMatchObject({ ok: false });
  });

  it("is not fetched if the phone's response names it", async () => {
    const id = await sendPicture({});
    const { raw } = await session.received(id);
    const honest = anna.deps.link.storeBlob;
    anna.deps.link.storeBlob = (sealed) => ({ ...honest(sealed), directPath: `@${secure}/x` });
    const { sizeOf } = world.network.blobs;
    world.network.blobs.sizeOf = () => undefined;
    const outcome = await run(session, "messages.fetch_media", { raw: raw ?? "" });
    world.network.blobs.sizeOf = sizeOf;
    anna.deps.link.storeBlob = honest;
    expect(outcome).toMatchObject({ ok: false });
  });

  it("is not fetched as a profile picture", async () => {
    await carla.act((phone) => setPicture(phone, JPEG));
    const { urlOf } = world.network.blobs;
    world.network.blobs.urlOf = () => `https://${secure}/x`;
    const outcome = await run(session, "pictures.get", { chat_id: chatOf(carla), size: "full" });
    world.network.blobs.urlOf = urlOf;
    expect(outcome).toMatchObject({ ok: false, failure: { code: "network_error" } });
  });

  it("is not fetched as history or app state by the library itself", async () => {
    const { HistorySyncType } = proto.HistorySync;
    const mediaKey = randomBytes(32);
    for (const where of [
      { directPath: `@${secure}/x` },
      { directPath: ".example.com/x" },
      { url: `https://${secure}/x` },
      { url: `http://${plain}/x` },
    ]) {
      const historySyncNotification = { syncType: HistorySyncType.RECENT, chunkOrder: 1, progress: 50, mediaKey, ...where };
      const type = proto.Message.ProtocolMessage.Type.HISTORY_SYNC_NOTIFICATION;
      await anna.act((phone) => sendPeerMessage(phone, 1, { protocolMessage: { type, historySyncNotification } as never }));
      const options = { dispatcher: session.networkSession.proxies.dispatcher } as unknown as RequestInit;
      await expect(downloadExternalBlob({ mediaKey, ...where } as never, options)).rejects.toThrow(/fetch failed|credentials/);
    }
    await session.received(must(await carla.sendText(anna.pn, "afterwards")).message_id);
  });
});

describe("the hosts of the real network", () => {
  const hosts = mediaHostsOf({ kind: "real" });

  it.each([
    "https://mmg.whatsapp.net/v/t62/x",
    "https://media-gru1-1.cdn.whatsapp.net/v/x",
    "https://media.fgru1-2.fna.whatsapp.net/x",
    "https://pps.whatsapp.net/x?a=b",
  ])("include %s", (url) => {
    expect(fileUrl(hosts, { url })?.href).toBe(url);
  });

  it.each([
    "http://mmg.whatsapp.net/x",
    "https://mmg.whatsapp.net:8443/x",
    "https://whatsapp.net/x",
    "https://evilwhatsapp.net/x",
    "https://mmg.whatsapp.net.example.com/x",
    "https://mmg.whatsapp.net./x",
    "https://user@mmg.whatsapp.net/x",
    "https://127.0.0.1/x",
    "https://[::1]/x",
    "data:,x",
  ])("do not include %s", (url) => {
    expect(fileUrl(hosts, { url })).toBeNull();
  });

  it("allow any path, on the standard host if the URL names no other network host", () => {
    expect(fileUrl(hosts, { url: "https://web.whatsapp.net", directPath: "/v/x" })?.href).toBe("https://mmg.whatsapp.net/v/x");
    expect(fileUrl(hosts, { url: "https://evil.example/y", directPath: "/v/x" })?.href).toBe("https://mmg.whatsapp.net/v/x");
    expect(fileUrl(hosts, { url: "https://media-a.cdn.whatsapp.net/y", directPath: "/v/x" })?.host).toBe("media-a.cdn.whatsapp.net");
    for (const directPath of ["@evil.example/x", ".evil.example/x", ":81/x", "evil/x"]) expect(fileUrl(hosts, { directPath })).toBeNull();
  });
});

it("no connection is made to a name that resolves to a private address", async () => {
  let connections = 0;
  const server = createPlainServer((_request, response) => response.end("inside")).on("connection", () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const { port } = server.address() as AddressInfo;
  const failure = await new Promise<Error>((resolve, reject) => {
    get(`http://localhost:${port}/`, { lookup: publicLookup }, () => reject(new Error("it was answered"))).on("error", resolve);
  });
  expect(failure.message).toBe("not a public address");
  expect(connections).toBe(0);
  server.close();
});
