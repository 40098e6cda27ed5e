import { createReadStream } from "node:fs";
import { unlink } from "node:fs/promises";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { CONVERTER, type Conversion as Run, runConverter } from "./converter.ts";
import { stickerPicture } from "./decode-picture.ts";
import { OutgoingFile } from "./outgoing-file.ts";
import { hasDiskSpace, Spool } from "./spool.ts";

export type Conversion = "voice" | "video" | "sticker";

type ByConverter = Run & { mimetype: string; suffix: string };

const BY_CONVERTER: Record<Exclude<Conversion, "sticker">, ByConverter> = {
  voice: {
    mimetype: "audio/ogg; codecs=opus",
    suffix: ".ogg",
    formats: "aac,amr,flac,matroska,mov,mp3,ogg,wav",
    maxSeconds: 900,
    args: ["-vn", "-ac", "1", "-ar", "48000", "-c:a", "libopus", "-b:a", "32k", "-f", "ogg"],
  },
  video: {
    mimetype: "video/mp4",
    suffix: ".mp4",
    formats: "avi,matroska,mov,ogg",
    maxSeconds: 60,
    // Scales the picture down and uses the fastest preset, so that a conversion with Debian's libraries fits into 300 MB of address space.
    args: (
      "-c:v libx264 -preset ultrafast -pix_fmt yuv420p " +
      "-vf scale=w=min(848\\,iw):h=min(848\\,ih):force_original_aspect_ratio=decrease:force_divisible_by=2 " +
      "-c:a aac -b:a 128k -movflags +faststart -f mp4"
    ).split(" "),
  },
};

const STICKER = "image/webp";

const CHUNK_BYTES = 64 * 1024;

export type Converted = { file: OutgoingFile; mimetype: string };

/** Fails with `media_invalid`, `converter_missing` (both mention the format) or `unavailable` (disk full, queue full). */
export async function convertFile(file: OutgoingFile, conversion: Conversion, isWanted: () => boolean): Promise<Outcome<Converted>> {
  try {
    return await (conversion === "sticker" ? convertPicture(file) : convertStream(file, BY_CONVERTER[conversion], isWanted));
  } catch {
    return fail("unavailable");
  } finally {
    await file.spool.discard();
  }
}

async function convertPicture(given: OutgoingFile): Promise<Outcome<Converted>> {
  const picture = await stickerPicture(given.spool.bytes ?? (await given.spool.path()));
  if (picture === null) return unreadable(STICKER);
  const spool = new Spool("out");
  await spool.write(picture);
  return { ok: true, value: { file: await OutgoingFile.of(spool), mimetype: STICKER } };
}

async function convertStream(given: OutgoingFile, by: ByConverter, isWanted: () => boolean): Promise<Outcome<Converted>> {
  const { mimetype, suffix, maxSeconds } = by;
  const source = await given.spool.path();
  const target = `${source}${suffix}`;
  const spool = new Spool("out");
  try {
    const ended = await runConverter(source, by, target, isWanted);
    if (ended === "missing") return fail("converter_missing", { details: { missing: CONVERTER, expected: mimetype } });
    if (ended === "busy") return fail("unavailable");
    if (ended === "too_long")
      return fail("media_invalid", { details: { reason: "too_long", expected: mimetype, limit_seconds: maxSeconds } });
    if (ended === "failed") return (await hasDiskSpace()) ? unreadable(mimetype) : fail("unavailable");
    for await (const chunk of createReadStream(target, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) await spool.write(chunk);
    if (spool.size === 0) return unreadable(mimetype);
    return { ok: true, value: { file: await OutgoingFile.of(spool), mimetype } };
  } catch (error) {
    await spool.discard();
    throw error;
  } finally {
    await unlink(target).catch(() => undefined);
  }
}

function unreadable(expected: string): Outcome<never> {
  return fail("media_invalid", { details: { reason: "conversion_failed", expected } });
}
