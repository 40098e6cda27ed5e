import { randomBytes } from "node:crypto";
import { type FileHandle, mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { getPriority, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { englishText } from "@gateway/domain/failures/texts.ts";
import { profilePicture, stickerPicture } from "#root/session-bridge/networks/baileys/media/decode-picture.ts";
import { sendsOf } from "#root/session-bridge/networks/baileys/outbound/sends.ts";
import { eventually } from "../../support/eventually.ts";
import { run } from "../commands/run-command.ts";
import { chatOf, openWorld, shown, type World } from "./world.ts";
import { sha256 } from "../../support/sample-files.ts";

const PNG = Buffer.concat([Buffer.from("89504e470d0a1a0a0000000d494844520000000300000002", "hex"), randomBytes(4_000)]);

describe("a file in a format that phones do not play", () => {
  let world: World;
  let folder: string;
  const path = process.env["PATH"];

  beforeAll(async () => {
    world = await openWorld();
    folder = await mkdtemp(join(tmpdir(), "converter-"));
  });
  afterEach(() => void (process.env["PATH"] = path));
  afterAll(async () => {
    await rm(folder, { recursive: true });
    await world.close();
  });

  /** A fake converter that writes to its last argument. */
  const converter = async (script: string) => {
    await writeFile(join(folder, "ffmpeg"), `#!/bin/sh\nfor last; do :; done\n${script}\n`, { mode: 0o755 });
    process.env["PATH"] = `${folder}:${path}`;
  };

  it("becomes a voice note, which is also what is stored", async () => {
    const { session } = await world.pair("Anna");
    const carla = await world.newPhone("Carla");
    await converter('printf converted > "$last"');
    const media = session.media.keep(randomBytes(2_000), "audio/mpeg", "a.mp3");
    const { id, outcome } = await session.sendAndSettle(chatOf(carla), { kind: "voice", media, convert: true });
    const record = await shown(carla, ({ message_id }) => message_id === id);
    const voice = { mimetype: "audio/ogg; codecs=opus", sha256: sha256(Buffer.from("converted")) };
    expect(record.media).toMatchObject(voice);
    expect(outcome).toMatchObject({ kind: "acknowledged", message: { type: "voice", media: voice } });
    const kept = outcome.kind === "acknowledged" ? outcome.message.media?.token : null;
    expect(session.media.sha256(kept)).toBe(voice.sha256);
  });

  it("becomes a video that phones play", async () => {
    const { session } = await world.pair("Dora");
    const carla = await world.newPhone("Carla");
    await converter('printf converted > "$last"');
    const media = session.media.keep(randomBytes(2_000), "video/webm");
    const video = { media, caption: "look", view_once: false, as_note: false, as_gif: false };
    const { id, outcome } = await session.sendAndSettle(chatOf(carla), { kind: "video", ...video });
    expect(outcome).toMatchObject({ kind: "acknowledged", message: { type: "video", media: { mimetype: "video/mp4" } } });
    const record = await shown(carla, ({ message_id }) => message_id === id);
    expect(record).toMatchObject({ text: "look", media: { mimetype: "video/mp4", sha256: sha256(Buffer.from("converted")) } });
  });

  it("is converted by a process that knows nothing of the bridge and has limits", async () => {
    const { session } = await world.pair("Frida");
    const carla = await world.newPhone("Carla");
    process.env["BRIDGE_SECRET"] = "nobody else's";
    await converter(
      `/usr/bin/env > ${folder}/env; ulimit -v > ${folder}/memory; nice > ${folder}/niceness; echo "$*" > ${folder}/args; printf converted > "$last"`,
    );
    const media = session.media.keep(randomBytes(2_000), "audio/mpeg", "a.mp3");
    const voice = () => session.sendAndSettle(chatOf(carla), { kind: "voice", media, convert: true });
    expect((await voice()).outcome.kind).toBe("acknowledged");
    delete process.env["BRIDGE_SECRET"];
    const noted = (name: string) => readFile(join(folder, name), "utf8");
    // Variables that shells set by themselves.
    const variables = (await noted("env")).split("\n").flatMap((line) => line.match(/^\w+(?==)/) ?? []);
    expect(variables.filter((name) => !["PWD", "OLDPWD", "SHLVL", "_"].includes(name))).toEqual([]);
    const memory = Number(await noted("memory")) * 1024;
    expect(memory).toBeGreaterThan(0);
    expect(memory).toBeLessThan(totalmem() / 3);
    expect(Number(await noted("niceness"))).toBeGreaterThan(getPriority());
    const args = await noted("args");
    expect(args).toMatch(/-protocol_whitelist file -format_whitelist \S+ -threads 1 -max_pixels \d+ -i /);
    expect(args.match(/threads \d+/g)).toEqual(Array.from({ length: 4 }, () => "threads 1"));
    // Larger than any sendable file.
    await converter('head -c 150000000 /dev/zero > "$last"');
    expect((await voice()).outcome).toMatchObject({ kind: "refused", failure: { code: "media_invalid" } });
    expect((await readdir(tmpdir())).filter((name) => name.startsWith(`gateway-media-${process.pid}-`))).toEqual([]);
  });

  it("is refused with an explanation if it exceeds the conversion limit", async () => {
    const { session } = await world.pair("Hana");
    const carla = await world.newPhone("Carla");
    const long = (seconds: string) => converter(`echo "  Duration: ${seconds}, start: 0.0" >&2; exec sleep 600`);
    const video = { kind: "video", media: session.media.keep(randomBytes(2_000), "video/webm"), caption: null } as const;
    await long("00:01:01.00");
    const { outcome } = await session.sendAndSettle(chatOf(carla), { ...video, view_once: false, as_note: false, as_gif: false });
    const details = { reason: "too_long", expected: "video/mp4", limit_seconds: 60 };
    expect(outcome).toEqual({ kind: "refused", failure: { code: "media_invalid", details } });
    expect(englishText({ code: "media_invalid", details })).toContain("too long");
    await long("00:15:01.00");
    const voice = { kind: "voice", media: session.media.keep(randomBytes(2_000), "audio/mpeg", "a.mp3"), convert: true } as const;
    expect((await session.sendAndSettle(chatOf(carla), voice)).outcome).toMatchObject({ failure: { details: { reason: "too_long" } } });
    // The slot is free again.
    await converter('echo "  Duration: 00:00:59.00, start: 0.0" >&2; printf converted > "$last"');
    expect((await session.sendAndSettle(chatOf(carla), voice)).outcome.kind).toBe("acknowledged");
  });

  it("waits for at most one conversion of another session, however many that session sends", async () => {
    const [{ session: busy }, { session: other }] = [await world.pair("Ines"), await world.pair("Jana")];
    const friends = await Promise.all([1, 2, 3].map((at) => world.newPhone(`Friend ${at}`)));
    await converter(`
      while [ "$1" != -i ]; do shift; done
      echo run >> ${folder}/runs
      if grep -q slow "$2"; then
        until for one in ${folder}/go-*; do rmdir "$one" 2>/dev/null && break; done; do sleep 0.05; done
      fi
      printf converted > "$last"`);
    let released = 0;
    const release = async (count = 1) => {
      for (let n = 0; n < count; n += 1) await mkdir(join(folder, `go-${(released += 1)}`));
    };
    const runs = () =>
      readFile(join(folder, "runs"), "utf8").then(
        (lines) => lines.trim().split("\n").length,
        () => 0,
      );
    const opened = vi.spyOn(busy.media, "open");
    const voice = (session: typeof busy, words: string) =>
      ({ kind: "voice", media: session.media.keep(Buffer.from(words), "audio/mpeg", "a.mp3"), convert: true }) as const;
    const sendSlow = async () => {
      opened.mockClear();
      const before = await runs();
      const sends = friends.map((friend) => busy.sendAndSettle(chatOf(friend), voice(busy, "slow")));
      await eventually("its files", 60_000, () => opened.mock.calls.length === friends.length);
      await eventually("a conversion", 60_000, async () => (await runs()) > before);
      return sends;
    };
    const slow = await sendSlow();
    const fast = other.sendAndSettle(chatOf(friends[0]!), voice(other, "fast"));
    // The third slow file stays blocked, so it would block the other session forever if it went first.
    await release(2);
    expect((await fast).outcome.kind).toBe("acknowledged");
    expect(busy.eventsOf("send.settled").length).toBeLessThan(3);
    await release();
    for (const { outcome } of await Promise.all(slow)) expect(outcome.kind).toBe("acknowledged");

    // A send without a waiting caller is not converted.
    const dropped = await sendSlow();
    sendsOf(busy.networkSession).dropConnection(busy.ctx);
    for (const { outcome } of await Promise.all(dropped)) expect(outcome).toEqual({ kind: "refused", failure: { code: "unavailable" } });
    await release(2);
    expect((await busy.sendAndSettle(chatOf(friends[0]!), voice(busy, "slow"))).outcome.kind).toBe("acknowledged");
    expect(await runs()).toBe(3 + 1 + 1 + 1);
  });

  it("is fetched once a few other files of its session have been sent", async () => {
    const { session } = await world.pair("Karla");
    const friends = await Promise.all([1, 2, 3, 4, 5].map((at) => world.newPhone(`Friend ${at}`)));
    const { promise: go, resolve: release } = Promise.withResolvers<void>();
    const open = session.media.open.bind(session.media);
    const opened = vi.spyOn(session.media, "open").mockImplementation(async (token) => {
      await go;
      return open(token);
    });
    const text = { kind: "text", text: "meanwhile", preview: null } as const;
    const document = { kind: "document", media: session.media.keep(PNG, "image/png"), caption: null } as const;
    const sends = friends.map((friend) => session.sendAndSettle(chatOf(friend), document));
    await eventually("four of them", 60_000, () => opened.mock.calls.length === 4);
    const carla = await world.newPhone("Carla");
    expect((await session.sendAndSettle(chatOf(carla), text)).outcome.kind).toBe("acknowledged");
    expect(opened).toHaveBeenCalledTimes(4);
    release();
    for (const { outcome } of await Promise.all(sends)) expect(outcome.kind).toBe("acknowledged");
  });

  it("is dropped if its upload stalls, like the image of a preview", async () => {
    const { session } = await world.pair("Lena");
    const upload = vi.spyOn(session.ctx.sock, "waUploadToServer");
    const media = session.media.keep(PNG, "image/png");
    const preview = { url: "https://example.com/x", title: "A page", description: null, image: media };
    for (const content of [
      { kind: "document", media, caption: null },
      { kind: "text", text: "https://example.com/x", preview },
    ] as const)
      expect((await session.sendAndSettle(chatOf({ pn: session.pn }), content)).outcome.kind).toBe("acknowledged");
    // Without a timeout, the library waits forever behind a proxy.
    expect(upload.mock.calls.map(([, { timeoutMs }]) => timeoutMs)).toEqual([15_000, 15_000]);
  });

  it("is reported as unavailable, not invalid, if the disk is full, so that the send may be repeated", async () => {
    const { session } = await world.pair("Helga");
    const carla = await world.newPhone("Carla");
    const handle = await open(join(folder, "any"), "w");
    const prototype = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    const full = vi
      .spyOn(prototype, "appendFile")
      .mockRejectedValue(Object.assign(new Error("no space left on device"), { code: "ENOSPC" }));
    const media = session.media.keep(Buffer.concat([PNG, randomBytes(600_000)]), "image/png");
    const unavailable = { kind: "refused", failure: { code: "unavailable" } };
    const content = [
      { kind: "image", media, caption: null, view_once: false },
      { kind: "voice", media: session.media.keep(randomBytes(2_000), "audio/mpeg", "a.mp3"), convert: true },
    ] as const;
    for (const each of content) expect((await session.sendAndSettle(chatOf(carla), each)).outcome).toEqual(unavailable);
    expect(await run(session, "profile.picture", { picture: media })).toEqual({ ok: false, failure: { code: "unavailable" } });
    expect(full).toHaveBeenCalled();
    full.mockRestore();
    expect((await session.sendAndSettle(chatOf(carla), content[0])).outcome).toMatchObject({ kind: "acknowledged" });
  });

  it("is not decoded if it would be enormous, or is not a picture", async () => {
    const { session } = await world.pair("Gerda");
    const huge = { create: { width: 9_000, height: 9_000, channels: 3, background: { r: 255, g: 0, b: 0 } } } as const;
    const media = session.media.keep(await sharp(huge).png({ compressionLevel: 9 }).toBuffer(), "image/png");
    expect(media.size).toBeLessThan(1_000_000);
    const { outcome } = await session.sendAndSettle(chatOf({ pn: session.pn }), { kind: "sticker", media });
    expect(outcome).toMatchObject({ kind: "refused", failure: { code: "media_invalid" } });
    expect(await run(session, "profile.picture", { picture: media })).toMatchObject({ ok: false, failure: { code: "media_invalid" } });
    const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"></svg>');
    expect(await stickerPicture(drawing)).toBeNull();
    expect(await profilePicture(drawing)).toBeNull();
  });

  it.each(["png", "jpeg"] as const)("becomes a 512-pixel sticker (%s)", async (format) => {
    const { session } = await world.pair("Elsa");
    const carla = await world.newPhone("Carla");
    const red = { create: { width: 300, height: 100, channels: 3, background: { r: 255, g: 0, b: 0 } } } as const;
    const media = session.media.keep(await sharp(red).toFormat(format).toBuffer(), `image/${format}`);
    const { id, outcome } = await session.sendAndSettle(chatOf(carla), { kind: "sticker", media });
    expect(outcome).toMatchObject({
      kind: "acknowledged",
      message: { type: "sticker", media: { mimetype: "image/webp", width: 512, height: 512 } },
    });
    const record = await shown(carla, ({ message_id }) => message_id === id);
    const token = outcome.kind === "acknowledged" ? (outcome.message.media?.token ?? "") : "";
    expect(record.media?.sha256).toBe(session.media.sha256(token));
    const sticker = sharp(session.media.files.get(token)?.bytes);
    expect(await sticker.metadata()).toMatchObject({ format: "webp", width: 512, height: 512, hasAlpha: true });
    const { data } = await sticker.raw().toBuffer({ resolveWithObject: true });
    const pixel = (x: number, y: number) => [...data.subarray((y * 512 + x) * 4, (y * 512 + x) * 4 + 4)];
    expect(pixel(256, 10)[3], "the padding is transparent").toBe(0);
    expect(pixel(256, 256)[0]).toBeGreaterThan(240);
    expect(pixel(256, 256)[3]).toBe(255);
  });

  it("is refused with the expected format when it cannot be converted", async () => {
    const { session } = await world.pair("Berta");
    const carla = await world.newPhone("Carla");
    const refusal = (expected: string) => ({
      kind: "refused",
      failure: { code: "media_invalid", details: { reason: "conversion_failed", expected } },
    });
    await converter("exit 1");
    const sound = session.media.keep(randomBytes(2_000), "audio/mpeg", "a.mp3");
    const voice = () => session.sendAndSettle(chatOf(carla), { kind: "voice", media: sound, convert: true });
    expect((await voice()).outcome).toEqual(refusal("audio/ogg; codecs=opus"));
    process.env["PATH"] = folder;
    await rm(join(folder, "ffmpeg"));
    // The failure has nothing to do with the file.
    expect((await voice()).outcome).toEqual({
      kind: "refused",
      failure: { code: "converter_missing", details: { missing: "ffmpeg", expected: "audio/ogg; codecs=opus" } },
    });
    const picture = session.media.keep(PNG, "image/png");
    expect((await session.sendAndSettle(chatOf(carla), { kind: "sticker", media: picture })).outcome).toEqual(refusal("image/webp"));
    expect(carla.inbox()).toEqual([]);
  });
});
