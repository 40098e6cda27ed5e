// Files, end to end: by content and by url, of every kind, as large as they may be, and read back.
import { randomBytes } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isOnPath } from "../../../src/sandbox/host/files.ts";
import { customer, phones } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { FileServer } from "../../support/file-server.ts";
import { peakMegabytes, runtimeMegabytes } from "../../support/memory.ts";
import { ok, refused } from "../../support/replies.ts";
import { sha256 } from "../../support/sample-files.ts";
import { type Sandbox, startSandbox } from "../../support/sandbox.ts";
import { DAY_MS } from "../../../src/protocol/units.ts";

const BIA = "5511944440001";
const CHAT = `${BIA}@c.us`;
const MB = 1024 * 1024;
/** What the platform gives an isolate. */
const WORKER_MB = 128;
/** Of an upload to R2. */
const PART_BYTES = 8 * MB;

let sandbox: Sandbox;
let files: FileServer;
let api: ReturnType<typeof customer>;
let network: ReturnType<typeof phones>;

beforeAll(async () => {
  [sandbox, files] = await Promise.all([startSandbox(), FileServer.start()]);
  connect();
  await network.create(BIA, "Bia");
});
afterAll(async () => {
  await Promise.all([sandbox.dispose(), files.stop()]);
});

function connect(): void {
  const ready = sandbox.ready();
  api = customer(ready);
  network = phones(ready);
}

const send = (kind: string, json: object) => api.call("POST", `/messages/${kind}`, { to: BIA, ...json });
const head = (start: string, size: number) => Buffer.concat([Buffer.from(start, "latin1"), randomBytes(size)]);
const mp4 = () => head("\0\0\0\x20ftypisom\0\0\0\0", 30_000);
const opus = () => head(`OggS${"\0".repeat(24)}OpusHead\x01\x01`, 9_000);
const picture = (width: number, height: number, format: "png" | "jpeg" | "webp" = "png") =>
  sharp({ create: { width, height, channels: 4, background: { r: 200, g: 30, b: 30, alpha: 1 } } })
    .toFormat(format)
    .toBuffer();

const at = (id: string): Promise<any> =>
  eventually(`${id} at the phone`, 60_000, async () => (await network.inbox(BIA)).find((record) => record.message_id === id));
/** Sends, and how it arrived. */
async function arrived(kind: string, json: object): Promise<any> {
  return at((await ok(send(kind, json))).message_id);
}

/** Of all files below the folder. */
const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0), 0);

describe("the largest files", () => {
  /** The memory that the local runtime took more than before; it also holds the simulated storage. */
  async function measured(what: string, work: () => Promise<void>): Promise<number> {
    const pid = sandbox.ready().processes.worker;
    const before = runtimeMegabytes(pid);
    const peak = await peakMegabytes(pid, work);
    console.log(`${what}: the runtime had ${before} MB resident before, at most ${peak} MB during, ${runtimeMegabytes(pid)} MB after`);
    return peak - before;
  }

  it("of 25 MB in a body fit into the memory of a worker, and one byte more is refused so that the client sees it", async () => {
    const bytes = randomBytes(19_660_000);
    const body = (padding: number) =>
      JSON.stringify({ to: BIA, media: { base64: bytes.toString("base64"), filename: "a.bin" } }).padEnd(padding, " ");
    const limit = 25 * MB;
    const post = (text: string) =>
      fetch(`${sandbox.ready().app_url}/api/v1/messages/document`, {
        method: "POST",
        headers: { "x-api-key": sandbox.ready().demo.connection.api_key, "content-type": "application/json" },
        body: text,
      });
    const grown = await measured("a body of 25 MB", async () => {
      const answer = await post(body(limit));
      const sent = (await answer.json()) as any;
      expect(answer.status, JSON.stringify(sent)).toBe(200);
      expect((await at(sent.message_id)).media).toMatchObject({ sha256: sha256(bytes), size: bytes.length });
    });
    expect(grown).toBeLessThan(WORKER_MB);
    for (const over of [limit + 1, 40 * MB]) {
      const answer = await post(body(over));
      expect([answer.status, ((await answer.json()) as any).error.codigo]).toEqual([413, "corpo_grande_demais"]);
    }
  });

  it("of 50 MB by url are stored while they come: of what is not yet stored the worker has one part at most", async () => {
    const bytes = randomBytes(50 * MB);
    const storage = join(sandbox.directory, "worker", "r2");
    const before = sizeOf(storage);
    const url = files.page("/fifty", async (response) => {
      response.writeHead(200, { "content-type": "application/x-a" });
      for (let sent = 0; sent < bytes.length; sent += MB) {
        const isAllowed = () => response.closed || sent - (sizeOf(storage) - before) <= PART_BYTES;
        await eventually("what was sent before is stored", 60_000, isAllowed);
        response.write(bytes.subarray(sent, sent + MB));
      }
      response.end();
    });
    const record = await arrived("document", { media: { url, filename: "fifty.bin" } });
    expect(record.media).toMatchObject({ sha256: sha256(bytes), size: bytes.length });
  });
});

describe("a file in the body", () => {
  it("arrives whole, as the kind that was sent", async () => {
    const [png, film, song, note, paper, sticker] = [
      await picture(40, 30),
      mp4(),
      head("ID3\x04", 9_000),
      opus(),
      randomBytes(9_000),
      await picture(512, 512, "webp"),
    ];
    const given = (bytes: Buffer, more: object = {}) => ({ media: { base64: bytes.toString("base64"), ...more } });
    expect(await arrived("image", { ...given(png), caption: "Veja 👀" })).toMatchObject({
      type: "image",
      text: "Veja 👀",
      view_once: false,
      media: { sha256: sha256(png), mimetype: "image/png" },
    });
    expect(await arrived("image", { ...given(png), view_once: true })).toMatchObject({ view_once: true, media: { sha256: sha256(png) } });
    expect(await arrived("video", { ...given(film), caption: "Assista" })).toMatchObject({
      type: "video",
      text: "Assista",
      form: null,
      media: { sha256: sha256(film), mimetype: "video/mp4" },
    });
    expect(await arrived("video", { ...given(film), as_note: true })).toMatchObject({ form: "note" });
    expect(await arrived("video", { ...given(film), as_gif: true, view_once: true })).toMatchObject({ form: "gif", view_once: true });
    expect(await arrived("audio", given(song))).toMatchObject({ type: "audio", media: { sha256: sha256(song), mimetype: "audio/mpeg" } });
    expect(await arrived("voice", given(note))).toMatchObject({
      type: "voice",
      media: { sha256: sha256(note), mimetype: "audio/ogg; codecs=opus" },
    });
    expect(
      await arrived("document", { ...given(paper, { filename: "ação 1.pdf", mimetype: "application/pdf" }), caption: "A nota" }),
    ).toMatchObject({
      type: "document",
      text: "A nota",
      media: { sha256: sha256(paper), filename: "ação 1.pdf", mimetype: "application/pdf" },
    });
    expect(await arrived("sticker", given(sticker))).toMatchObject({
      type: "sticker",
      media: { sha256: sha256(sticker), mimetype: "image/webp" },
    });
  });

  it("is made a sticker when it is a picture", async () => {
    const record = await arrived("sticker", { media: { base64: (await picture(300, 100)).toString("base64") } });
    expect(record).toMatchObject({ type: "sticker", media: { mimetype: "image/webp" } });
    const kept = await ok(api.get(`/chats/${CHAT}/messages/${record.message_id}/media`));
    const bytes = Buffer.from(await (await fetch(kept.data.url)).arrayBuffer());
    expect(sha256(bytes)).toBe(record.media.sha256);
    expect(await sharp(bytes).metadata()).toMatchObject({ format: "webp", width: 512, height: 512 });
  });

  it("is refused when it is not what it should be", async () => {
    const text = Buffer.from("only words").toString("base64");
    for (const kind of ["image", "video", "audio", "voice", "sticker"]) {
      const { body: refusal } = await refused(send(kind, { media: { base64: text } }), 422, "midia_invalida");
      expect(refusal.error.detalhes).toMatchObject({ motivo: "wrong_format", recebido: "unknown" });
    }
    // A damaged song cannot be made a voice note; without a converter no song can, which is not the song's fault.
    const song = head("ID3\x04", 2_000).toString("base64");
    const [status, codigo] = isOnPath("ffmpeg") ? ([422, "midia_invalida"] as const) : ([501, "conversor_ausente"] as const);
    const { body: refusal } = await refused(send("voice", { media: { base64: song } }), status, codigo);
    expect(refusal.error.detalhes).toMatchObject({ esperado: "audio/ogg; codecs=opus", ...(status === 501 && { falta: "ffmpeg" }) });
    await refused(send("voice", { media: { base64: song }, convert: false }), 422, "midia_invalida");
    await refused(send("image", { media: { base64: "***" } }), 400, "requisicao_invalida");
    await refused(send("document", { media: { base64: text } }), 400, "requisicao_invalida");
  });

  it("is sent once however often it is repeated", async () => {
    const bytes = await picture(21, 21);
    const body = { to: BIA, media: { base64: bytes.toString("base64") } };
    const calls = await Promise.all([1, 2, 3].map(() => api.call("POST", "/messages/image", body, { "idempotency-key": "foto-1" })));
    expect(new Set(calls.map((call) => call.body.message_id)).size).toBe(1);
    await at(calls[0]?.body.message_id);
    expect((await network.inbox(BIA)).filter((record) => record.media?.sha256 === sha256(bytes))).toHaveLength(1);
  });
});

describe("a file by url", () => {
  it("arrives from where it lies, behind up to three redirects", async () => {
    const png = await picture(33, 33);
    const direct = files.file("/a.png", png, "image/png");
    expect((await arrived("image", { media: { url: direct } })).media.sha256).toBe(sha256(png));
    const unsized = files.file("/b.png", png, "application/octet-stream", false);
    expect((await arrived("image", { media: { url: unsized } })).media).toMatchObject({ sha256: sha256(png), mimetype: "image/png" });
    files.redirect("/1", "/a.png");
    files.redirect("/2", "/1");
    const three = files.redirect("/3", "/2");
    expect((await arrived("image", { media: { url: three } })).media.sha256).toBe(sha256(png));
    const four = files.redirect("/4", "/3");
    await refused(send("image", { media: { url: four } }), 422, "midia_inacessivel");
  });

  it("is unreachable with the reason, in one word for every address that is not allowed", async () => {
    const reason = async (url: string) => (await refused(send("image", { media: { url } }), 422, "midia_inacessivel")).body.error.detalhes;
    const { app_url } = sandbox.ready();
    expect(await reason(files.page("/404", (response) => void response.writeHead(404).end("secret")))).toEqual({
      motivo: "http_status",
      status: 404,
    });
    expect(await reason(files.page("/500", (response) => void response.writeHead(500).end()))).toMatchObject({ status: 500 });
    expect(await reason(`${app_url}/api/midia/zzzz${"0".repeat(32)}.png`)).toEqual({ motivo: "http_status", status: 404 });
    const inside = [
      files.redirect("/inside", "http://169.254.169.254/latest/meta-data"),
      "https://10.0.0.1/a.png",
      "https://localhost/a.png",
      "http://127.0.0.1:1/a.png",
      `${app_url}/api/health`,
    ];
    for (const url of inside) expect([url, await reason(url)]).toEqual([url, { motivo: "not_reachable" }]);
    expect(["dns", "not_reachable"]).toContain((await reason("https://nowhere.invalid/a.png")).motivo);
  });

  it("may be a link that we gave out", async () => {
    const png = await picture(35, 35);
    const first = await arrived("image", { media: { base64: png.toString("base64") } });
    const { data } = await ok(api.get(`/chats/${CHAT}/messages/${first.message_id}/media`));
    expect((await arrived("image", { media: { url: data.url } })).media.sha256).toBe(sha256(png));
  });

  it("is refused over 50 MB, told or not", async () => {
    const over = Buffer.alloc(50 * MB + 1, 1);
    const media = (url: string) => ({ media: { url, filename: "a.bin" } });
    await refused(send("document", media(files.file("/over", over, "application/x-a"))), 413, "midia_grande");
    await refused(send("document", media(files.file("/over2", over, "application/x-a", false))), 413, "midia_grande");
  });
});

describe("a received file", () => {
  it("is read back as a link or whole, and its link wants no key", async () => {
    const bytes = randomBytes(200_000);
    const media = { base64: bytes.toString("base64"), mimetype: "application/pdf", filename: "nota fiscal.pdf" };
    const { message_id } = (
      await network.send(BIA, { to: sandbox.ready().demo.connection.phone, type: "document", media, caption: "A nota" })
    ).body;
    const path = `/chats/${CHAT}/messages/${message_id}`;
    const message = await eventually("the message with its file", 60_000, async () => {
      const read = await api.get(path);
      return read.status === 200 && read.body.data.media.url !== null && read.body.data;
    });
    expect(message).toMatchObject({ type: "document", text: "A nota", media: { filename: "nota fiscal.pdf", size: bytes.length } });
    const { data } = await ok(api.get(`${path}/media`));
    expect(data.url).toMatch(/\/api\/midia\/[0-9a-z]{52}\.pdf$/);
    expect(Date.parse(data.expires_at)).toBeGreaterThan(Date.now() + 6 * DAY_MS);
    const link = await fetch(data.url);
    expect(sha256(Buffer.from(await link.arrayBuffer()))).toBe(sha256(bytes));
    expect(
      Object.fromEntries(["x-content-type-options", "cache-control", "content-disposition"].map((name) => [name, link.headers.get(name)])),
    ).toEqual({
      "x-content-type-options": "nosniff",
      "cache-control": expect.stringMatching(/^private, max-age=\d+$/),
      "content-disposition": "attachment; filename=\"nota fiscal.pdf\"; filename*=UTF-8''nota%20fiscal.pdf",
    });
    expect(link.headers.get("content-security-policy")).toContain("sandbox");
    const part = await fetch(data.url, { headers: { range: "bytes=10-19" } });
    expect([part.status, Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(10, 20))]).toEqual([206, true]);
    const whole = await ok(api.get(`${path}/media?format=base64`));
    expect(whole.data.mimetype).toBe("application/pdf");
    expect(Buffer.from(whole.data.base64, "base64").equals(bytes)).toBe(true);
    expect((await fetch(data.url.replace(/[0-9a-f]{4}\.pdf$/, "0000.pdf"))).status).toBe(404);
    await refused(api.get(`/chats/${CHAT}/messages/NUNCA/media`), 404, "mensagem_nao_encontrada");
  });
});

describe("a received file that is said to lie elsewhere", () => {
  it("is not fetched, and its message is told without it", async () => {
    const secret = files.file("/secret", Buffer.from("of the inside"), "image/png");
    const { app_url } = sandbox.ready();
    const asked = files.asked.length;
    const base64 = (await picture(10, 10)).toString("base64");
    // With a key and a hash only the address speaks against it; without them it could be any file that a host has.
    for (const claims of [{}, { plain: true, unhashed: true }]) {
      for (const url of [secret, `${app_url}/api/health`, "https://10.0.0.1/a.png", "data:image/png;base64,aW5zaWRl"]) {
        const media = { base64, mimetype: "image/png", url, ...claims };
        const { message_id } = (await network.send(BIA, { to: sandbox.ready().demo.connection.phone, type: "image", media, caption: url }))
          .body;
        const path = `/chats/${CHAT}/messages/${message_id}`;
        const message = await eventually("the message", 60_000, async () => {
          const read = await api.get(path);
          return read.status === 200 && read.body.data;
        });
        expect(message).toMatchObject({ type: "image", text: url, media: { url: null, mimetype: "image/png" } });
        expect((await api.get(`${path}/media`)).status).toBeGreaterThanOrEqual(400);
      }
    }
    expect(files.asked.slice(asked)).toEqual([]);
  });
});

describe("a file that is kept no longer", () => {
  /** What time does to stored files. */
  async function forgetFiles(): Promise<void> {
    await sandbox.stop();
    await rm(join(sandbox.directory, "worker", "r2"), { recursive: true });
    await sandbox.start();
    connect();
  }

  it("is fetched from the network again, until the network has it no longer", async () => {
    const png = await picture(55, 55);
    const { message_id } = await arrived("image", { media: { base64: png.toString("base64") } });
    const path = `/chats/${CHAT}/messages/${message_id}/media`;
    const first = await ok(api.get(path));
    await forgetFiles();
    expect((await fetch(first.data.url.replace(/^https?:\/\/[^/]+/, sandbox.ready().app_url))).status).toBe(404);
    const again = await eventually("a session", 60_000, async () => {
      const answer = await api.get(path);
      return answer.status === 200 && answer.body.data;
    });
    expect(sha256(Buffer.from(await (await fetch(again.url)).arrayBuffer()))).toBe(sha256(png));
    // Bia's phone keeps the file, ours never had it.
    expect((await network.call("POST", `/phones/${BIA}/inbox/${message_id}/expire-media`)).status).toBe(200);
    await forgetFiles();
    await eventually("no answer but that it has expired", 60_000, async () => (await api.get(path)).status === 410);
    await refused(api.get(path), 410, "midia_expirada");
  });
});
