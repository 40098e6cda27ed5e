// Voice notes and stickers have one format each. Conversion is done by ffmpeg where the image has it.
import { spawn } from "node:child_process";
import { createReadStream } from "node:fs";
import { unlink } from "node:fs/promises";
import type { Outcome } from "../../../../src/protocol/failures.ts";
import { Spool } from "../media-spool.ts";
import { OutgoingFile } from "./outgoing-file.ts";

export type Conversion = "voice" | "sticker";

/** `formats`: what may come in. A play list would make the converter open addresses and files of its own choosing. */
const CONVERSIONS: Record<Conversion, { suffix: string; formats: string; args: string[] }> = {
  voice: {
    suffix: ".ogg",
    formats: "aac,amr,flac,matroska,mov,mp3,ogg,wav",
    args: ["-vn", "-ac", "1", "-ar", "48000", "-c:a", "libopus", "-b:a", "32k", "-f", "ogg"],
  },
  sticker: {
    suffix: ".webp",
    formats: "png_pipe,jpeg_pipe,webp_pipe,gif",
    args: [
      "-frames:v",
      "1",
      "-vf",
      "scale=512:512:force_original_aspect_ratio=decrease,pad=512:512:-1:-1:color=#00000000",
      "-c:v",
      "libwebp",
      "-f",
      "webp",
    ],
  },
};

/** Found on the path; it is no package of ours. */
const CONVERTER = "ffmpeg";
const LONGEST_MS = 30_000;
const HEAD_BYTES = 64 * 1024;

/**
 * The converted file; `media_invalid` when it cannot be. Without ffmpeg a voice note goes as it is (phones of one make will not play
 * it), a sticker in another format is refused: nobody would see it. The given file is discarded when another takes its place.
 */
export async function convertFile(file: OutgoingFile, conversion: Conversion): Promise<Outcome<OutgoingFile>> {
  const { suffix, formats, args } = CONVERSIONS[conversion];
  const source = await file.spool.path();
  const target = `${source}${suffix}`;
  const input = ["-protocol_whitelist", "file", "-format_whitelist", formats, "-i", source];
  const ended = await run(["-nostdin", "-loglevel", "error", "-y", ...input, ...args, target]);
  if (ended === "missing" && conversion === "voice") return { ok: true, value: file };
  await file.spool.discard();
  if (ended !== "done") {
    await unlink(target).catch(() => undefined);
    return { ok: false, failure: { code: "media_invalid" } };
  }
  const spool = new Spool();
  for await (const chunk of createReadStream(target, { highWaterMark: HEAD_BYTES }) as AsyncIterable<Buffer>) await spool.write(chunk);
  await unlink(target);
  return { ok: true, value: new OutgoingFile(spool, spool.bytes?.subarray(0, HEAD_BYTES) ?? Buffer.alloc(0)) };
}

function run(args: readonly string[]): Promise<"done" | "failed" | "missing"> {
  return new Promise((resolve) => {
    const child = spawn(CONVERTER, args, { stdio: "ignore", timeout: LONGEST_MS, killSignal: "SIGKILL" });
    child.once("error", (error: NodeJS.ErrnoException) => resolve(error.code === "ENOENT" ? "missing" : "failed"));
    child.once("close", (code) => resolve(code === 0 ? "done" : "failed"));
  });
}
