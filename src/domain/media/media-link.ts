// Links to media: `{app_url}/api/midia/<token>.<ext>` (docs/operate/untrusted-input.md, "Media links"). The token is the only credential.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { DAY_MS } from "@gateway/protocol/units.ts";

const DAY_LETTERS = 4;
const RANDOM_BYTES = 16;
/** Tokens made before connections were marked in them have 32 hex digits only. */
const TOKEN = /^[0-9a-z]{4}([0-9a-f]{16})?[0-9a-f]{32}$/;

/**
 * A token of 128 random bits. It begins with the file's last day and a mark of its connection, so that a purge and the removal of a
 * connection find their files by prefix instead of reading them all. `connection` is its UUID, `expiresAt` is Unix ms.
 */
export function makeMediaToken(random: Uint8Array, connection: string, expiresAt: number): string {
  if (random.length !== RANDOM_BYTES) throw new Error("makeMediaToken wants 16 random bytes");
  return dayName(expiresAt) + markOf(connection) + bytesToHex(random);
}

export function isMediaToken(text: string): boolean {
  return TOKEN.test(text);
}

/** The last day of the token is over, so the file has been purged. `now` in Unix ms. */
export function isMediaPurged(token: string, now: number): boolean {
  return isMediaToken(token) && token.slice(0, DAY_LETTERS) < dayName(now);
}

/** R2 prefix of all files of messages. Those of a day stand under one prefix, which sorts by time. */
export const MEDIA_PREFIX = "media/";

/** The file's key in R2. */
export function mediaKey(token: string): string {
  return `${MEDIA_PREFIX}${token.slice(0, DAY_LETTERS)}/${token}`;
}

/** R2 prefix of the files whose last day was the given one (any time of it, Unix ms). */
export function mediaDayPrefix(day: number): string {
  return `${MEDIA_PREFIX}${dayName(day)}/`;
}

/** Prefixes of about equally many files that together hold a day's: each token goes on with a digit of a hash, or of its random part. */
export function mediaDayParts(dayPrefix: string): string[] {
  const day = dayPrefix.slice(MEDIA_PREFIX.length, -1);
  return [..."0123456789abcdef"].map((digit) => dayPrefix + day + digit);
}

/** R2 prefix of a connection's files whose last day is the given one (any time of it, Unix ms). */
export function mediaPrefixOf(connection: string, day: number): string {
  return mediaDayPrefix(day) + dayName(day) + markOf(connection);
}

/** The public link. `appUrl` has no slash at its end. */
export function mediaLink(appUrl: string, token: string, mimetype: string): string {
  return `${appUrl}/api/midia/${token}.${extensionOf(mimetype)}`;
}

/** The token in `<token>.<ext>`, or null when this service did not make it. */
export function tokenOfMediaName(name: string): string | null {
  const [token, extension, ...rest] = name.split(".");
  if (token === undefined || rest.length > 0 || !isMediaToken(token)) return null;
  return extension !== undefined && /^[a-z0-9]{1,10}$/.test(extension) ? token : null;
}

/** 64 bits of a hash: a link does not show the connection's UUID. */
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

/** The usual file extension of a media type, `bin` for an unknown one. */
export function extensionOf(mimetype: string): string {
  const bare = (mimetype.split(";")[0] ?? "").trim().toLowerCase();
  return EXTENSIONS.get(bare) ?? "bin";
}
