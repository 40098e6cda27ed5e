import { parseMediaType, UNKNOWN_MEDIA_TYPE } from "@gateway/protocol/files.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";

/** `accepts` is null if any type is accepted. `maxBytes` is set if the limit is lower than for other files. */
export type FileRule = { accepts: readonly string[] | null; maxBytes?: number };

const OPUS = "audio/ogg; codecs=opus";
const PLAYED_VIDEO = ["video/mp4", "video/3gpp"];
const SOUND = ["audio/mpeg", "audio/mp4", "audio/aac", "audio/ogg", OPUS, "audio/amr"];

export const FILE_RULES = {
  image: { accepts: ["image/jpeg", "image/png", "image/webp"] },
  video: { accepts: PLAYED_VIDEO },
  convertibleVideo: {
    accepts: [...PLAYED_VIDEO, "video/quicktime", "video/webm", "video/x-matroska", "video/x-msvideo", "video/ogg"],
  },
  audio: { accepts: SOUND },
  voice: { accepts: [OPUS] },
  convertibleVoice: { accepts: [...SOUND, "audio/wav", "audio/flac", "audio/webm", "video/mp4", "video/webm", "video/3gpp"] },
  document: { accepts: null },
  sticker: { accepts: ["image/webp", "image/png", "image/jpeg"] },
  picture: { accepts: ["image/jpeg", "image/png"], maxBytes: 5 * 1024 * 1024 },
} as const satisfies Record<string, FileRule>;

/** Containers that may contain only audio, so the declared type decides. */
const SOUND_OF: Readonly<Record<string, string>> = { "video/mp4": "audio/mp4", "video/webm": "audio/webm", "video/ogg": "audio/ogg" };

/** `sniffed` takes precedence. A declared audio or video type is used only if the bytes are inconclusive. Fails with `media_invalid`. */
export function resolveMediaType(rule: FileRule, sniffed: string | null, declared: string | null): Outcome<string> {
  const parsed = declared === null ? null : parseMediaType(declared);
  if (rule.accepts === null) return succeed(parsed ?? sniffed ?? UNKNOWN_MEDIA_TYPE);
  const type = parsed === null ? null : canonicalType(parsed);
  const isSound = sniffed !== null && type !== null && type.startsWith("audio/");
  const found = isSound ? (SOUND_OF[sniffed] ?? sniffed) : (sniffed ?? trusted(type));
  const fitting = found !== null && rule.accepts.includes(found) ? found : sniffed;
  if (fitting !== null && rule.accepts.includes(fitting)) return succeed(fitting);
  return fail("media_invalid", { details: { reason: "wrong_format", expected: rule.accepts.join(", "), found: found ?? "unknown" } });
}

/** The type of an image can always be determined from its bytes, so a declared image type is never trusted. */
function trusted(declared: string | null): string | null {
  return declared !== null && /^(audio|video)\//.test(declared) ? declared : null;
}

const ALIASES: Readonly<Record<string, string>> = {
  "image/jpg": "image/jpeg",
  "audio/mp3": "audio/mpeg",
  "audio/x-m4a": "audio/mp4",
  "audio/m4a": "audio/mp4",
  "audio/x-wav": "audio/wav",
  "audio/wave": "audio/wav",
  "audio/opus": OPUS,
  "video/3gp": "video/3gpp",
};

export function canonicalType(parsed: string): string {
  const [bare = ""] = parsed.split(";");
  if (bare === "audio/ogg" && /; codecs=opus\b/i.test(parsed)) return OPUS;
  return ALIASES[bare] ?? bare;
}
