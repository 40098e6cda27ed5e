// Media links: `{app_url}/api/midia/<token>.<ext>` (docs/operate/untrusted-input.md, "Media links"). The token is the only credential.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { DAY_MS } from "@gateway/protocol/units.ts";

const DAY_LETTERS = 4;
const RANDOM_BYTES = 16;
const TOKEN = /^[0-9a-z]{4}([0-9a-f]{16})?[0-9a-f]{32}$/;

/** A token is the file's last day, a hash of its connection and 128 random bits, so that purges find files by prefix. */
export function makeMediaToken(random: Uint8Array, connection: string, expiresAt: number): string {
  if (random.length !== RANDOM_BYTES) throw new Error("makeMediaToken wants 16 random bytes");
  return dayName(expiresAt) + markOf(connection) + bytesToHex(random);
}

export function isMediaToken(text: string): boolean {
  return TOKEN.test(text);
}

export function isMediaPurged(token: string, now: number): boolean {
  return isMediaToken(token) && token.slice(0, DAY_LETTERS) < dayName(now);
}

/** The file is stored at least until this time (Unix ms). */
export function mediaStoredUntil(token: string): number {
  return isMediaToken(token) ? Number.parseInt(token.slice(0, DAY_LETTERS), 36) * DAY_MS : Number.POSITIVE_INFINITY;
}

/** R2 prefix for all message files. Below it, keys start with the day on which their files expire, so they sort chronologically. */
export const MEDIA_PREFIX = "media/";

export function mediaKey(token: string): string {
  return `${MEDIA_PREFIX}${token.slice(0, DAY_LETTERS)}/${token}`;
}

export function mediaDayPrefix(day: number): string {
  return `${MEDIA_PREFIX}${dayName(day)}/`;
}

export function mediaDayParts(dayPrefix: string): string[] {
  const day = dayPrefix.slice(MEDIA_PREFIX.length, -1);
  return [..."0123456789abcdef"].map((digit) => dayPrefix + day + digit);
}

/** `dayPrefix` is a day's prefix, as R2 lists it. */
export function mediaPrefixOf(connection: string, dayPrefix: string): string {
  return dayPrefix + dayPrefix.slice(MEDIA_PREFIX.length, -1) + markOf(connection);
}

export function mediaLink(appUrl: string, token: string, mimetype: string): string {
  return `${appUrl}/api/midia/${token}.${extensionOf(mimetype)}`;
}

export function tokenOfMediaName(name: string): string | null {
  const [token, extension, ...rest] = name.split(".");
  if (token === undefined || rest.length > 0 || !isMediaToken(token)) return null;
  return extension !== undefined && /^[a-z0-9]{1,10}$/.test(extension) ? token : null;
}

/** Returns 64 bits of a hash, so that a link does not reveal the connection's UUID. */
function markOf(connection: string): string {
  return bytesToHex(sha256(utf8ToBytes(`media of ${connection}`))).slice(0, 16);
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

export function extensionOf(mimetype: string): string {
  const bare = (mimetype.split(";")[0] ?? "").trim().toLowerCase();
  return EXTENSIONS.get(bare) ?? "bin";
}
