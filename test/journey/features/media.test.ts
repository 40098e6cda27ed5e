// Files, end to end: by content and by URL, of every kind, up to the maximum size, and read back.
import { randomBytes } from "node:crypto";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isOnPath } from "#root/server/files.ts";
import { eventually } from "../../support/eventually.ts";
import { ok, refused } from "../../support/replies.ts";
import { sha256 } from "../../support/sample-files.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import { BIA, CHAT, MediaWorld, picture } from "./media-world.ts";

let world: MediaWorld;
beforeAll(async () => {
  world = await MediaWorld.start();
});
afterAll(() => world.dispose());

const head = (start: string, size: number) => Buffer.concat([Buffer.from(start, "latin1"), randomBytes(size)]);
const mp4 = () => head("\0\0\0\x20ftypisom\0\0\0\0", 30_000);
const opus = () => head(`OggS${"\0".repeat(24)}OpusHead\x01\x01`, 9_000);

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
    expect(await world.arrived("image", { ...given(png), caption: "Veja 👀" })).toMatchObject({
      type: "image",
      text: "Veja 👀",
      view_once: false,
      media: { sha256: sha256(png), mimetype: "image/png" },
    });
    expect(await world.arrived("image", { ...given(png), view_once: true })).toMatchObject({
      view_once: true,
      media: { sha256: sha256(png) },
    });
    expect(await world.arrived("video", { ...given(film), caption: "Assista" })).toMatchObject({
      type: "video",
      text: "Assista",
      form: null,
      media: { sha256: sha256(film), mimetype: "video/mp4" },
    });
    expect(await world.arrived("video", { ...given(film), as_note: true })).toMatchObject({ form: "note" });
    expect(await world.arrived("video", { ...given(film), as_gif: true, view_once: true })).toMatchObject({ form: "gif", view_once: true });
    expect(await world.arrived("audio", given(song))).toMatchObject({
      type: "audio",
      media: { sha256: sha256(song), mimetype: "audio/mpeg" },
    });
    expect(await world.arrived("voice", given(note))).toMatchObject({
      type: "voice",
      media: { sha256: sha256(note), mimetype: "audio/ogg; codecs=opus" },
    });
    expect(
      await world.arrived("document", { ...given(paper, { filename: "ação 1.pdf", mimetype: "application/pdf" }), caption: "A nota" }),
    ).toMatchObject({
      type: "document",
      text: "A nota",
      media: { sha256: sha256(paper), filename: "ação 1.pdf", mimetype: "application/pdf" },
    });
    expect(await world.arrived("sticker", given(sticker))).toMatchObject({
      type: "sticker",
      media: { sha256: sha256(sticker), mimetype: "image/webp" },
    });
  });

  it("is made a sticker when it is a picture", async () => {
    const record = await world.arrived("sticker", { media: { base64: (await picture(300, 100)).toString("base64") } });
    expect(record).toMatchObject({ type: "sticker", media: { mimetype: "image/webp" } });
    const kept = await ok(world.api.get(`/chats/${CHAT}/messages/${record.message_id}/media`));
    const bytes = Buffer.from(await (await fetch(kept.data.url)).arrayBuffer());
    expect(sha256(bytes)).toBe(record.media.sha256);
    expect(await sharp(bytes).metadata()).toMatchObject({ format: "webp", width: 512, height: 512 });
  });

  it("is refused if it is not of its declared kind", async () => {
    const text = Buffer.from("only words").toString("base64");
    for (const kind of ["image", "video", "audio", "voice", "sticker"]) {
      const { body: refusal } = await refused(world.send(kind, { media: { base64: text } }), 422, "midia_invalida");
      expect(refusal.error.detalhes).toMatchObject({ motivo: "wrong_format", recebido: "unknown" });
    }
    // A damaged song cannot become a voice note. Without a converter no song can, so the error does not blame the file.
    const song = head("ID3\x04", 2_000).toString("base64");
    const [status, codigo] = isOnPath("ffmpeg") ? ([422, "midia_invalida"] as const) : ([501, "conversor_ausente"] as const);
    const { body: refusal } = await refused(world.send("voice", { media: { base64: song } }), status, codigo);
    expect(refusal.error.detalhes).toMatchObject({ esperado: "audio/ogg; codecs=opus", ...(status === 501 && { falta: "ffmpeg" }) });
    await refused(world.send("voice", { media: { base64: song }, convert: false }), 422, "midia_invalida");
    await refused(world.send("image", { media: { base64: "***" } }), 400, "requisicao_invalida");
    await refused(world.send("document", { media: { base64: text } }), 400, "requisicao_invalida");
  });

  it("is sent once, even if repeated", async () => {
    const bytes = await picture(21, 21);
    const body = { to: BIA, media: { base64: bytes.toString("base64") } };
    const calls = await Promise.all([1, 2, 3].map(() => world.api.call("POST", "/messages/image", body, { "idempotency-key": "foto-1" })));
    expect(new Set(calls.map((call) => call.body.message_id)).size).toBe(1);
    await world.at(calls[0]?.body.message_id);
    expect((await world.network.inbox(BIA)).filter((record) => record.media?.sha256 === sha256(bytes))).toHaveLength(1);
  });
});

describe("a file by url", () => {
  it("arrives from its URL, behind up to three redirects", async () => {
    const png = await picture(33, 33);
    const direct = world.files.file("/a.png", png, "image/png");
    expect((await world.arrived("image", { media: { url: direct } })).media.sha256).toBe(sha256(png));
    const unsized = world.files.file("/b.png", png, "application/octet-stream", false);
    expect((await world.arrived("image", { media: { url: unsized } })).media).toMatchObject({ sha256: sha256(png), mimetype: "image/png" });
    world.files.redirect("/1", "/a.png");
    world.files.redirect("/2", "/1");
    const three = world.files.redirect("/3", "/2");
    expect((await world.arrived("image", { media: { url: three } })).media.sha256).toBe(sha256(png));
    const four = world.files.redirect("/4", "/3");
    await refused(world.send("image", { media: { url: four } }), 422, "midia_inacessivel");
  });

  it("is unreachable with the reason, the same for every forbidden address", async () => {
    const reason = async (url: string) =>
      (await refused(world.send("image", { media: { url } }), 422, "midia_inacessivel")).body.error.detalhes;
    const { app_url } = world.sandbox.ready();
    expect(await reason(world.files.page("/404", (response) => void response.writeHead(404).end("secret")))).toEqual({
      motivo: "http_status",
      status: 404,
    });
    expect(await reason(world.files.page("/500", (response) => void response.writeHead(500).end()))).toMatchObject({ status: 500 });
    expect(await reason(`${app_url}/api/midia/zzzz${"0".repeat(32)}.png`)).toEqual({ motivo: "http_status", status: 404 });
    const inside = [
      world.files.redirect("/inside", "http://169.254.169.254/latest/meta-data"),
      "https://10.0.0.1/a.png",
      "https://localhost/a.png",
      "http://127.0.0.1:1/a.png",
      `${app_url}/api/health`,
    ];
    for (const url of inside) expect([url, await reason(url)]).toEqual([url, { motivo: "not_reachable" }]);
    expect(["dns", "not_reachable"]).toContain((await reason("https://nowhere.invalid/a.png")).motivo);
  });

  it("may come from one of our own links", async () => {
    const png = await picture(35, 35);
    const first = await world.arrived("image", { media: { base64: png.toString("base64") } });
    const { data } = await ok(world.api.get(`/chats/${CHAT}/messages/${first.message_id}/media`));
    expect((await world.arrived("image", { media: { url: data.url } })).media.sha256).toBe(sha256(png));
  });
});

describe("a received file", () => {
  it("is read as a link or in full, and its link needs no key", async () => {
    const bytes = randomBytes(200_000);
    const media = { base64: bytes.toString("base64"), mimetype: "application/pdf", filename: "nota fiscal.pdf" };
    const { message_id } = (
      await world.network.send(BIA, { to: world.sandbox.ready().demo.connection.phone, type: "document", media, caption: "A nota" })
    ).body;
    const path = `/chats/${CHAT}/messages/${message_id}`;
    const message = await eventually("the message with its file", 60_000, async () => {
      const read = await world.api.get(path);
      return read.status === 200 && read.body.data.media.url !== null && read.body.data;
    });
    expect(message).toMatchObject({ type: "document", text: "A nota", media: { filename: "nota fiscal.pdf", size: bytes.length } });
    const { data } = await ok(world.api.get(`${path}/media`));
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
    const whole = await ok(world.api.get(`${path}/media?format=base64`));
    expect(whole.data.mimetype).toBe("application/pdf");
    expect(Buffer.from(whole.data.base64, "base64").equals(bytes)).toBe(true);
    expect((await fetch(data.url.replace(/[0-9a-f]{4}\.pdf$/, "0000.pdf"))).status).toBe(404);
    await refused(world.api.get(`/chats/${CHAT}/messages/NUNCA/media`), 404, "mensagem_nao_encontrada");
  });
});

describe("a received file with a false location", () => {
  it("is not fetched, and its message is delivered without it", async () => {
    const secret = world.files.file("/secret", Buffer.from("of the inside"), "image/png");
    const { app_url } = world.sandbox.ready();
    const asked = world.files.asked.length;
    const base64 = (await picture(10, 10)).toString("base64");
    // With a key and a hash, only the URL is suspicious; without them it could be any file on a host.
    for (const claims of [{}, { plain: true, unhashed: true }]) {
      for (const url of [secret, `${app_url}/api/health`, "https://10.0.0.1/a.png", "data:image/png;base64,aW5zaWRl"]) {
        const media = { base64, mimetype: "image/png", url, ...claims };
        const { message_id } = (
          await world.network.send(BIA, { to: world.sandbox.ready().demo.connection.phone, type: "image", media, caption: url })
        ).body;
        const path = `/chats/${CHAT}/messages/${message_id}`;
        const message = await eventually("the message", 60_000, async () => {
          const read = await world.api.get(path);
          return read.status === 200 && read.body.data;
        });
        expect(message).toMatchObject({ type: "image", text: url, media: { url: null, mimetype: "image/png" } });
        expect((await world.api.get(`${path}/media`)).status).toBeGreaterThanOrEqual(400);
      }
    }
    expect(world.files.asked.slice(asked)).toEqual([]);
  });
});
