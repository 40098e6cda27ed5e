// Files in a form that phones do not play are brought into one that they do: sound and video by ffmpeg where the machine has it.
import { spawn } from "node:child_process";
import { createReadStream } from "node:fs";
import { unlink } from "node:fs/promises";
import { fail, type Outcome } from "../../../../src/protocol/failures.ts";
import { Spool } from "./spool.ts";
import { OutgoingFile } from "./outgoing-file.ts";
import { stickerPicture } from "./sticker-picture.ts";

export type Conversion = "voice" | "video" | "sticker";

/** `formats`: what may come in. A play list would make the converter open addresses and files of its own choosing. */
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

/** Found on the path; it is no package of ours. */
const CONVERTER = "ffmpeg";
const LONGEST_MS = 30_000;
const HEAD_BYTES = 64 * 1024;

export type Converted = { file: OutgoingFile; mimetype: string };

/** The file in the other form, in place of the given one, which is discarded. `media_invalid` says what it could not be made into. */
export async function convertFile(file: OutgoingFile, conversion: Conversion): Promise<Outcome<Converted>> {
  try {
    return await (conversion === "sticker" ? convertPicture(file) : convertStream(file, BY_CONVERTER[conversion]));
  } finally {
    await file.spool.discard();
  }
}

async function convertPicture({ spool }: OutgoingFile): Promise<Outcome<Converted>> {
  const picture = await stickerPicture(spool.bytes ?? (await spool.path()));
  if (picture === null) return invalid("conversion_failed", STICKER);
  const kept = new Spool();
  await kept.write(picture);
  return { ok: true, value: { file: new OutgoingFile(kept, picture.subarray(0, HEAD_BYTES)), mimetype: STICKER } };
}

async function convertStream({ spool }: OutgoingFile, { mimetype, suffix, formats, args }: ByConverter): Promise<Outcome<Converted>> {
  const source = await spool.path();
  const target = `${source}${suffix}`;
  try {
    const input = ["-protocol_whitelist", "file", "-format_whitelist", formats, "-i", source];
    const ended = await run(["-nostdin", "-loglevel", "error", "-y", ...input, ...args, target]);
    if (ended !== "done") return invalid(ended === "missing" ? "converter_missing" : "conversion_failed", mimetype);
    const kept = new Spool();
    for await (const chunk of createReadStream(target, { highWaterMark: HEAD_BYTES }) as AsyncIterable<Buffer>) await kept.write(chunk);
    if (kept.size === 0) return invalid("conversion_failed", mimetype);
    return { ok: true, value: { file: new OutgoingFile(kept, kept.bytes?.subarray(0, HEAD_BYTES) ?? Buffer.alloc(0)), mimetype } };
  } finally {
    await unlink(target).catch(() => undefined);
  }
}

function invalid(reason: "converter_missing" | "conversion_failed", expected: string): Outcome<never> {
  return fail("media_invalid", { details: { reason, expected } });
}

function run(args: readonly string[]): Promise<"done" | "failed" | "missing"> {
  return new Promise((resolve) => {
    const child = spawn(CONVERTER, args, { stdio: "ignore", timeout: LONGEST_MS, killSignal: "SIGKILL" });
    child.once("error", (error: NodeJS.ErrnoException) => resolve(error.code === "ENOENT" ? "missing" : "failed"));
    child.once("close", (code) => resolve(code === 0 ? "done" : "failed"));
  });
}
