// Headers for stored files. Contacts choose type and name, so browsers must neither run a file nor guess its type.
import { canonicalType } from "@gateway/domain/media/file-rules.ts";
import { UNKNOWN_MEDIA_TYPE } from "@gateway/protocol/files.ts";

/** Prevents scripts in a file from running or reaching this origin. */
export const INERT = {
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'; media-src 'self'; img-src 'self'",
} as const;

/** Types that can't contain scripts. Files of all other types are served as untyped downloads. */
const SERVED_TYPES: ReadonlySet<string> = new Set(
  (
    "image/jpeg image/png image/webp image/gif video/mp4 video/3gpp video/webm " +
    "audio/ogg audio/mpeg audio/mp4 audio/aac audio/amr audio/wav audio/webm audio/flac"
  ).split(" "),
);

/** `shown` means that browsers may display the file instead of downloading it, if its type allows. */
export function fileHeaders(mimetype: string, filename: string | null, { shown }: { shown: boolean }): Record<string, string> {
  const [type = ""] = canonicalType(mimetype).split(";");
  const isServed = SERVED_TYPES.has(type);
  return {
    "Content-Type": isServed ? type : UNKNOWN_MEDIA_TYPE,
    "Content-Disposition": named(isServed && shown ? "inline" : "attachment", filename),
    ...INERT,
  };
}

/** Writes the name twice (RFC 6266): exactly, and as ASCII without special characters for old clients. */
function named(disposition: "inline" | "attachment", filename: string | null): string {
  if (filename === null || filename === "") return disposition;
  const plain = filename.replaceAll(/[^\x20-\x7E]|["\\%;/]/g, "_");
  const exact = encodeURIComponent(filename.toWellFormed()).replaceAll(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${disposition}; filename="${plain}"; filename*=UTF-8''${exact}`;
}

// We parse the range ourselves, because R2 returns the whole file instead of 416 for an unsatisfiable range and for `bytes=-0`.

/** Parses a `Range` header (RFC 9110, 14.2) for R2. Returns null, to send the whole file, if it is missing, invalid or has several ranges. */
export function readRange(header: string | undefined, sizeBytes: number): R2Range | null | "unsatisfiable" {
  const match = /^bytes=(\d*)-(\d*)$/.exec((header ?? "").trim());
  if (match === null) return null;
  const [, first = "", last = ""] = match;
  if (first === "" && last === "") return null;
  if (first === "") return Number(last) === 0 ? "unsatisfiable" : { suffix: Math.min(Number(last), sizeBytes) };
  const offset = Number(first);
  if (last !== "" && Number(last) < offset) return null;
  if (offset >= sizeBytes) return "unsatisfiable";
  const end = last === "" ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  return { offset, length: end - offset + 1 };
}
