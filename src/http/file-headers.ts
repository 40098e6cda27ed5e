// Headers for the bytes of a stored file. Contacts choose its type and name, so a browser must neither run it nor guess its type.
import { canonicalType } from "@gateway/domain/media/file-rules.ts";
import { UNKNOWN_MEDIA_TYPE } from "@gateway/protocol/files/media-type.ts";

/** For every answer about a file: no script in it runs, and it cannot reach this origin. */
export const INERT = {
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'; media-src 'self'; img-src 'self'",
} as const;

/** The only types a file is served as; everything else is a download of no type. None of them can run scripts. */
const SERVED_TYPES: ReadonlySet<string> = new Set(
  (
    "image/jpeg image/png image/webp image/gif video/mp4 video/3gpp video/webm " +
    "audio/ogg audio/mpeg audio/mp4 audio/aac audio/amr audio/wav audio/webm audio/flac"
  ).split(" "),
);

/** `shown`: a browser displays what it may display, and downloads the rest. Otherwise it downloads everything. */
export function fileHeaders(mimetype: string, filename: string | null, { shown }: { shown: boolean }): Record<string, string> {
  const [type = ""] = canonicalType(mimetype).split(";");
  const isServed = SERVED_TYPES.has(type);
  return {
    "Content-Type": isServed ? type : UNKNOWN_MEDIA_TYPE,
    "Content-Disposition": named(isServed && shown ? "inline" : "attachment", filename),
    ...INERT,
  };
}

/**
 * The name twice: plain ASCII for old clients, and as it is (RFC 6266). In the plain one every special
 * character is replaced rather than escaped, so that no client has to unescape it.
 */
function named(disposition: "inline" | "attachment", filename: string | null): string {
  if (filename === null || filename === "") return disposition;
  const plain = filename.replaceAll(/[^\x20-\x7E]|["\\%;/]/g, "_");
  const exact = encodeURIComponent(filename.toWellFormed()).replaceAll(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${disposition}; filename="${plain}"; filename*=UTF-8''${exact}`;
}
