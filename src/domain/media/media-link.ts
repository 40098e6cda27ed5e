// Links to media: `{app_url}/api/midia/<token>.<ext>` (docs/security.md, "Media links"). The token is the only credential.
import { bytesToHex } from "@noble/hashes/utils.js";
import { DAY_MS } from "../../protocol/units.ts";

const DAY_LETTERS = 4;
const RANDOM_BYTES = 16;
const TOKEN = /^[0-9a-z]{4}[0-9a-f]{32}$/;

/**
 * A token of 128 random bits. It begins with the day after which nothing of it is left, so that a clean-up finds what is due
 * without reading every file. `expiresAt` is Unix ms.
 */
export function makeMediaToken(random: Uint8Array, expiresAt: number): string {
  if (random.length !== RANDOM_BYTES) throw new Error("makeMediaToken wants 16 random bytes");
  return dayName(expiresAt) + bytesToHex(random);
}

export function isMediaToken(text: string): boolean {
  return TOKEN.test(text);
}

/** Nothing is left of the file: the last day of its token is over. `now` in Unix ms. */
export function isMediaPurged(token: string, now: number): boolean {
  return isMediaToken(token) && token.slice(0, DAY_LETTERS) < dayName(now);
}

/** The file's name in R2. */
export function mediaKey(token: string): string {
  return `media/${token.slice(0, DAY_LETTERS)}/${token}`;
}

/** R2 prefix of the files whose last day was the given one (Unix ms of any moment of it). */
export function mediaDayPrefix(day: number): string {
  return `media/${dayName(day)}/`;
}

/** The public link. `appUrl` has no slash at its end. */
export function mediaLink(appUrl: string, token: string, mimetype: string): string {
  return `${appUrl}/api/midia/${token}.${extensionOf(mimetype)}`;
}

/** The token in `<token>.<ext>`, or null when it cannot be one of ours. */
export function tokenOfMediaName(name: string): string | null {
  const [token, extension, ...rest] = name.split(".");
  if (token === undefined || rest.length > 0 || !isMediaToken(token)) return null;
  return extension !== undefined && /^[a-z0-9]{1,10}$/.test(extension) ? token : null;
}

/** Percent-encoded, the name must fit beside a file's other notes in R2 (2,048 bytes in all). */
const FILENAME_BYTES = 1_500;

/** The filename, its stem cut where it is too long to keep. */
export function truncateFilename(name: string): string {
  const letters = [...name.toWellFormed().trim()];
  const dot = letters.lastIndexOf(".");
  const extension = dot > 0 && letters.length - dot <= 12 ? letters.splice(dot) : [];
  const fits = () => encodeURIComponent([...letters, ...extension].join("")).length <= FILENAME_BYTES;
  while (letters.length > 0 && !fits()) letters.length -= Math.max(1, Math.floor(letters.length / 20));
  return [...letters, ...extension].join("");
}

function dayName(at: number): string {
  return Math.floor(at / DAY_MS)
    .toString(36)
    .padStart(DAY_LETTERS, "0");
}

const EXTENSIONS = new Map(
  Object.entries({
    "image/jpeg": "jpg",
    "image/png": "png",
    "image/webp": "webp",
    "image/gif": "gif",
    "image/heic": "heic",
    "image/svg+xml": "svg",
    "video/mp4": "mp4",
    "video/3gpp": "3gp",
    "video/quicktime": "mov",
    "video/webm": "webm",
    "video/x-matroska": "mkv",
    "audio/ogg": "ogg",
    "audio/mpeg": "mp3",
    "audio/mp4": "m4a",
    "audio/aac": "aac",
    "audio/amr": "amr",
    "audio/wav": "wav",
    "application/pdf": "pdf",
    "application/zip": "zip",
    "application/json": "json",
    "application/xml": "xml",
    "application/rtf": "rtf",
    "application/msword": "doc",
    "application/vnd.ms-excel": "xls",
    "application/vnd.ms-powerpoint": "ppt",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.android.package-archive": "apk",
    "text/plain": "txt",
    "text/csv": "csv",
    "text/html": "html",
    "text/vcard": "vcf",
    "text/x-vcard": "vcf",
    "text/calendar": "ics",
  }),
);

/** The usual file extension of a media type, `bin` for one we do not know. */
export function extensionOf(mimetype: string): string {
  const bare = (mimetype.split(";")[0] ?? "").trim().toLowerCase();
  return EXTENSIONS.get(bare) ?? "bin";
}
