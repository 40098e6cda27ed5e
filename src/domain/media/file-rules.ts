// Which files each kind of content takes, as data.
import { fail, type Outcome } from "../../protocol/failures.ts";

/** `accepts` null: anything. `maxBytes`: below the limit that all files have. */
export type FileRule = { accepts: readonly string[] | null; maxBytes?: number };

const OPUS = "audio/ogg; codecs=opus";
const PLAYED_VIDEO = ["video/mp4", "video/3gpp"];
const SOUND = ["audio/mpeg", "audio/mp4", "audio/aac", "audio/ogg", OPUS, "audio/amr"];

export const FILE_RULES = {
  image: { accepts: ["image/jpeg", "image/png", "image/webp"] },
  video: { accepts: PLAYED_VIDEO },
  /** Made playable by the bridge. */
  convertibleVideo: {
    accepts: [...PLAYED_VIDEO, "video/quicktime", "video/webm", "video/x-matroska", "video/x-msvideo", "video/ogg"],
  },
  audio: { accepts: SOUND },
  voice: { accepts: [OPUS] },
  /** Made a voice note by the bridge. */
  convertibleVoice: { accepts: [...SOUND, "audio/wav", "audio/flac", "audio/webm", "video/mp4", "video/webm", "video/3gpp"] },
  document: { accepts: null },
  sticker: { accepts: ["image/webp", "image/png", "image/jpeg"] },
  /** Pictures of groups, profiles and channels. */
  picture: { accepts: ["image/jpeg", "image/png"], maxBytes: 5 * 1024 * 1024 },
} as const satisfies Record<string, FileRule>;

/** The same container carries sound alone: what the sender says decides which of the two it is. */
const SOUND_OF: Readonly<Record<string, string>> = { "video/mp4": "audio/mp4", "video/webm": "audio/webm", "video/ogg": "audio/ogg" };

/**
 * The type a file goes by, from what its bytes say (`sniffed`) and what was said about it. Bytes win; what they do not tell is
 * believed as far as sound and video go. Fails `media_invalid`, with what was expected and what came.
 */
export function resolveMediaType(rule: FileRule, sniffed: string | null, said: string | null): Outcome<string> {
  if (rule.accepts === null) return { ok: true, value: said ?? sniffed ?? "application/octet-stream" };
  const declared = said === null ? null : canonical(said);
  const isSound = sniffed !== null && declared !== null && declared.startsWith("audio/");
  const found = isSound ? (SOUND_OF[sniffed] ?? sniffed) : (sniffed ?? believed(declared));
  const fitting = found !== null && rule.accepts.includes(found) ? found : sniffed;
  if (fitting !== null && rule.accepts.includes(fitting)) return { ok: true, value: fitting };
  return fail("media_invalid", { details: { reason: "wrong_format", expected: rule.accepts.join(", "), found: found ?? "unknown" } });
}

/** Pictures always say what they are. */
function believed(declared: string | null): string | null {
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

function canonical(said: string): string {
  const bare = (said.split(";")[0] ?? "").trim().toLowerCase();
  if (bare === "audio/ogg" && /codecs\s*=\s*"?opus/i.test(said)) return OPUS;
  return ALIASES[bare] ?? bare;
}
