// Converts files that phones do not play into a format that they do: audio and video by ffmpeg, where the machine has it.
import { spawn } from "node:child_process";
import { createReadStream } from "node:fs";
import { unlink } from "node:fs/promises";
import { fail, type Outcome } from "../../../../src/protocol/failures.ts";
import { Spool } from "./spool.ts";
import { OutgoingFile } from "./outgoing-file.ts";
import { stickerPicture } from "./sticker-picture.ts";

export type Conversion = "voice" | "video" | "sticker";

/** `formats`: accepted inputs. A playlist would make the converter open URLs and files that the sender chose. */
type ByConverter = { mimetype: string; suffix: string; formats: string; args: string[] };

const BY_CONVERTER: Record<Exclude<Conversion, "sticker">, ByConverter> = {
  voice: {
    mimetype: "audio/ogg; codecs=opus",
    suffix: ".ogg",
    formats: "aac,amr,flac,matroska,mov,mp3,ogg,wav",
    args: ["-vn", "-ac", "1", "-ar", "48000", "-c:a", "libopus", "-b:a", "32k", "-f", "ogg"],
  },
  video: {
    mimetype: "video/mp4",
    suffix: ".mp4",
    formats: "avi,matroska,mov,ogg",
    args: (
      "-c:v libx264 -preset veryfast -pix_fmt yuv420p -vf scale=trunc(iw/2)*2:trunc(ih/2)*2 " +
      "-c:a aac -b:a 128k -movflags +faststart -f mp4"
    ).split(" "),
  },
};

const STICKER = "image/webp";

/** Looked up on the PATH. */
const CONVERTER = "ffmpeg";
const CONVERSION_TIMEOUT_MS = 30_000;
const CHUNK_BYTES = 64 * 1024;

export type Converted = { file: OutgoingFile; mimetype: string };

/** Replaces the given file, which is discarded. `media_invalid` names the format it could not be converted to. */
export async function convertFile(file: OutgoingFile, conversion: Conversion): Promise<Outcome<Converted>> {
  try {
    return await (conversion === "sticker" ? convertPicture(file) : convertStream(file, BY_CONVERTER[conversion]));
  } finally {
    await file.spool.discard();
  }
}

async function convertPicture(given: OutgoingFile): Promise<Outcome<Converted>> {
  const picture = await stickerPicture(given.spool.bytes ?? (await given.spool.path()));
  if (picture === null) return invalid("conversion_failed", STICKER);
  const spool = new Spool();
  await spool.write(picture);
  return { ok: true, value: { file: await OutgoingFile.of(spool), mimetype: STICKER } };
}

async function convertStream(given: OutgoingFile, { mimetype, suffix, formats, args }: ByConverter): Promise<Outcome<Converted>> {
  const source = await given.spool.path();
  const target = `${source}${suffix}`;
  try {
    const input = ["-protocol_whitelist", "file", "-format_whitelist", formats, "-i", source];
    const ended = await run(["-nostdin", "-loglevel", "error", "-y", ...input, ...args, target]);
    if (ended !== "done") return invalid(ended === "missing" ? "converter_missing" : "conversion_failed", mimetype);
    const spool = new Spool();
    for await (const chunk of createReadStream(target, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) await spool.write(chunk);
    if (spool.size === 0) return invalid("conversion_failed", mimetype);
    return { ok: true, value: { file: await OutgoingFile.of(spool), mimetype } };
  } finally {
    await unlink(target).catch(() => undefined);
  }
}

function invalid(reason: "converter_missing" | "conversion_failed", expected: string): Outcome<never> {
  return fail("media_invalid", { details: { reason, expected } });
}

function run(args: readonly string[]): Promise<"done" | "failed" | "missing"> {
  return new Promise((resolve) => {
    const child = spawn(CONVERTER, args, { stdio: "ignore", timeout: CONVERSION_TIMEOUT_MS, killSignal: "SIGKILL" });
    child.once("error", (error: NodeJS.ErrnoException) => resolve(error.code === "ENOENT" ? "missing" : "failed"));
    child.once("close", (code) => resolve(code === 0 ? "done" : "failed"));
  });
}
