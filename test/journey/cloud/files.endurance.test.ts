// A Cloud API number's files against a whole sandbox: to and from a contact, with failures of Meta's file host.
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectTrafficValid } from "../../contract/traffic.ts";
import { phones } from "../../support/clients.ts";
import { cloudControl } from "../../support/cloud/control.ts";
import { type CloudNumber, connectCloudNumber } from "../../support/cloud/numbers.ts";
import { eventually } from "../../support/eventually.ts";
import { FileServer } from "../../support/file-server.ts";
import { Receiver } from "../../support/receiver.ts";
import { ok, refused } from "../../support/replies.ts";
import { promised, type Sandbox, startSandbox } from "../../support/sandbox.ts";
import { JPEG, MP4, PNG, sha256 } from "../../support/sample-files.ts";
import { expectAtMost } from "../../support/promised-times.ts";

const [STORE, BIA] = ["5511900000801", "5511900000802"] as const;
const CHAT = `${BIA}@c.us`;
const KB = 1024;
const MB = 1024 * KB;
const WITHIN_MS = 60_000;
const HOST_OF_FILES = "/whatsapp_business/attachments";

let sandbox: Sandbox;
let files: FileServer;
let receiver: Receiver;
let network: ReturnType<typeof phones>;
let store: CloudNumber;
let control: ReturnType<typeof cloudControl>;
beforeAll(async () => {
  [sandbox, files, receiver] = await Promise.all([startSandbox(["--no-limits"]), FileServer.start(), Receiver.start()]);
  network = phones(sandbox.ready());
  store = await connectCloudNumber(sandbox.ready(), { phone: STORE, name: "Store" });
  control = cloudControl(sandbox.ready(), store.credentials);
  await network.create(BIA, "Bia");
  await store.owner.call("PUT", `/connections/${store.id}/webhook`, { url: receiver.url });
  // Opens the window in which messages other than templates may be sent.
  await network.send(BIA, { to: STORE, type: "text", text: "oi" });
  await told("oi");
});
afterAll(() => Promise.all([sandbox.dispose(), files.stop(), receiver.stop()]));

type Event = { type: string; data: Record<string, any> };
/** The event for a text, or for a file identified by its caption. */
const told = (text: string): Promise<Record<string, any>> =>
  eventually(`told: ${text}`, WITHIN_MS, () =>
    receiver.events<Event>().find(({ type, data }) => type === "message.received" && data["text"] === text),
  ).then(({ data }) => data);

let captions = 0;
/** Bia sends a file; `told`: the resulting event and its delay in milliseconds. */
async function fromBia(bytes: Buffer) {
  const text = `file ${(captions += 1)}`;
  const sentAt = Date.now();
  const media = { base64: bytes.toString("base64"), mimetype: "application/pdf", filename: "nota.pdf" };
  await network.send(BIA, { to: STORE, type: "document", media, caption: text });
  return {
    text,
    told: async () => {
      const event = await told(text);
      return { event, path: `/chats/${CHAT}/messages/${encodeURIComponent(event["message_id"] as string)}`, ms: Date.now() - sentAt };
    },
  };
}
const eventFromBia = async (bytes: Buffer) => (await fromBia(bytes)).told();
const bytesAt = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());
/** The link to a stored message's file, once available. */
const linkOf = (path: string): Promise<string> =>
  eventually("the file", WITHIN_MS, async () => (await store.api.get(path)).body.data.media.url);

const send = (kind: string, json: object) => store.api.call("POST", `/messages/${kind}`, { to: BIA, ...json });
const base64 = (bytes: Buffer, more: object = {}) => ({ media: { base64: bytes.toString("base64"), ...more } });
const ogg = (size: number) => Buffer.concat([Buffer.from(`OggS${"\0".repeat(24)}OpusHead\x01\x01`, "latin1")], size);
const mp3 = (size: number) => Buffer.concat([Buffer.from("ID3\x04", "latin1")], size);
const webp = (size: number, animated: boolean) =>
  Buffer.concat([Buffer.from(`RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0${animated ? "\x02" : "\0"}`, "latin1")], size);

describe("a file that is sent", () => {
  const KINDS: [kind: string, bytes: Buffer, more: object][] = [
    ["image", PNG, {}],
    ["image", JPEG, {}],
    ["video", MP4, {}],
    ["audio", mp3(9_000), {}],
    ["voice", ogg(9_000), {}],
    ["document", randomBytes(300_000), { filename: "nota.pdf", mimetype: "application/pdf" }],
    ["sticker", webp(9_000, false), {}],
  ];

  it.each(KINDS)("as %s arrives unchanged", async (kind, bytes, more) => {
    const { message_id } = await ok(send(kind, base64(bytes, more)));
    const arrived = await eventually(`${kind} at the phone`, WITHIN_MS, async () =>
      (await network.inbox(BIA)).find(({ media, type }) => type === kind && media?.sha256 === sha256(bytes)),
    );
    expect(arrived).toMatchObject({ media: { size: bytes.length } });
    expect((await ok(store.api.get(`/chats/${CHAT}/messages/${message_id}`))).data).toMatchObject({ type: kind });
  });

  it("over the limit of its kind is refused without a Graph request", async () => {
    await control.mend();
    const before = (await control.requests()).length;
    const over: [string, Buffer, number][] = [
      ["image", Buffer.concat([PNG], 5 * MB + 1), 5 * MB],
      ["video", Buffer.concat([MP4], 16 * MB + 1), 16 * MB],
      ["audio", mp3(16 * MB + 1), 16 * MB],
      ["voice", ogg(16 * MB + 1), 16 * MB],
      ["sticker", webp(500 * KB + 1, true), 500 * KB],
      ["sticker", webp(100 * KB + 1, false), 100 * KB],
    ];
    for (const [kind, bytes, limit] of over) {
      const url = files.file(`/${kind}-${limit}`, bytes, "application/octet-stream");
      const { body } = await refused(send(kind, { media: { url } }), 422, "limite_do_tipo");
      expect([kind, body.error.detalhes.limite_bytes ?? body.error.detalhes.limit_bytes]).toEqual([kind, limit]);
    }
    const wrong: [string, Buffer][] = [
      ["image", webp(900, false)],
      ["sticker", PNG],
      ["voice", mp3(900)],
    ];
    for (const [kind, bytes] of wrong) await refused(send(kind, base64(bytes)), 422, "midia_invalida");
    expect(await control.requests()).toHaveLength(before);
    // Files of exactly the maximum size are accepted.
    await ok(send("image", { media: { url: files.file("/largest", Buffer.concat([PNG], 5 * MB), "image/png") } }));
    await ok(send("sticker", base64(webp(100 * KB, false))));
  });

  it("is uploaded again if Graph does not answer, and sent once", async () => {
    await control.fault("drop_request", { match: "/media", times: 2 });
    const bytes = randomBytes(1_000);
    await ok(send("document", base64(bytes, { filename: "a.pdf", mimetype: "application/pdf" })));
    const asked = (await control.requests()).filter(({ body }) => JSON.stringify(body).includes(sha256(bytes)));
    expect(asked.map(({ status }) => status)).toEqual([null, null, 200]);
    await eventually("the document", WITHIN_MS, async () =>
      (await network.inbox(BIA)).some(({ media }) => media?.sha256 === sha256(bytes)),
    );
    expect((await network.inbox(BIA)).filter(({ media }) => media?.sha256 === sha256(bytes))).toHaveLength(1);
  });
});

describe("a file that is received", () => {
  it("is delivered with its message, as a link", async () => {
    const bytes = randomBytes(2 * MB);
    const { event, ms } = await eventFromBia(bytes);
    expect(event["media"]).toMatchObject({ mimetype: "application/pdf" });
    expect(sha256(await bytesAt(event["media"].url as string))).toBe(sha256(bytes));
    expectAtMost("a file whose address was dead is told with its message", ms, promised(10_000, sandbox));
  });

  it("arrives although Graph's URL is dead", async () => {
    await control.fault("expire_media");
    const bytes = randomBytes(9_000);
    const { event, ms } = await eventFromBia(bytes);
    expect(sha256(await bytesAt(event["media"].url as string))).toBe(sha256(bytes));
    expectAtMost("a file whose address was dead is told with its message", ms, promised(10_000, sandbox));
  });

  it("becomes available after its message if Meta's file host is down, and later messages stay in order", async () => {
    await control.fault("drop_request", { match: HOST_OF_FILES, times: 2 });
    const bytes = randomBytes(9_000);
    const first = await fromBia(bytes);
    await network.send(BIA, { to: STORE, type: "text", text: "behind it" });
    const { event, path, ms } = await first.told();
    expect(event["media"]).toMatchObject({ url: null, mimetype: "application/pdf" });
    expect(ms).toBeGreaterThan(9_000);
    await told("behind it");
    const texts = receiver.events<Event>().map(({ data }) => data["text"] as string);
    expect(texts.indexOf("behind it")).toBeGreaterThan(texts.indexOf(first.text));
    const url = await linkOf(path);
    expect(sha256(await bytesAt(url))).toBe(sha256(bytes));
  });

  it("is rejected if its bytes differ from Graph's description", async () => {
    await control.fault("bad_media_hash");
    const { event, path } = await eventFromBia(randomBytes(9_000));
    expect(event["media"]).toMatchObject({ url: null });
    await refused(store.api.get(`${path}/media`), 502, "erro_do_rede");
    expect((await ok(store.api.get(path))).data.media.url).toBe(null);
  });

  it("is fetched on request until Meta no longer has it", async () => {
    const settings = (download_media: boolean) => store.owner.call("PATCH", `/connections/${store.id}`, { settings: { download_media } });
    expect((await settings(false)).status).toBe(200);
    const bytes = randomBytes(9_000);
    const [asked, never] = [await eventFromBia(bytes), await eventFromBia(randomBytes(9_000))];
    expect([asked.event["media"].url, never.event["media"].url]).toEqual([null, null]);
    const { data } = await ok(store.api.get(`${asked.path}/media`));
    expect(sha256(await bytesAt(data.url as string))).toBe(sha256(bytes));
    await network.call("POST", "/cloud/clock", { offset_s: 7 * 86_400 });
    await refused(store.api.get(`${never.path}/media`), 410, "midia_expirada");
    // Stored files are served without Meta.
    expect((await ok(store.api.get(`${asked.path}/media`))).data.url).toBe(data.url);
    await network.call("POST", "/cloud/clock", { offset_s: 0 });
    await settings(true);
  });
});

it("all traffic matches Meta's description", () => expectTrafficValid(sandbox.ready().network_url));
