// Headers for the bytes of a stored file. Contacts choose its type and name, so a browser must neither run it nor guess its type.

/** `disposition`: whether a browser may display it. */
export function fileHeaders(type: string, disposition: "inline" | "attachment", filename: string | null): Record<string, string> {
  return {
    "Content-Type": type,
    "Content-Disposition": named(disposition, filename),
    "X-Content-Type-Options": "nosniff",
    // It must neither run scripts nor reach this origin.
    "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'; media-src 'self'; img-src 'self'",
  };
}

/** Displayed in the browser rather than downloaded: none of these types can run scripts. */
const INLINE_TYPES = /^(image\/(jpeg|png|webp|gif)|video\/(mp4|3gpp|webm)|audio\/[a-z0-9.+-]+)$/;

/** For a browser that shows what it may show, and downloads the rest. */
export function shownFileHeaders(mimetype: string, filename: string | null): Record<string, string> {
  const isInline = INLINE_TYPES.test((mimetype.split(";")[0] ?? "").trim().toLowerCase());
  return isInline ? fileHeaders(mimetype, "inline", filename) : fileHeaders("application/octet-stream", "attachment", filename);
}

/**
 * The name twice: plain ASCII for old clients, and as it is (RFC 6266). In the plain one every special
 * character is replaced rather than escaped, so that no client has to unescape it.
 */
function named(disposition: string, filename: string | null): string {
  if (filename === null || filename === "") return disposition;
  const plain = filename.replaceAll(/[^\x20-\x7E]|["\\%;/]/g, "_");
  const exact = encodeURIComponent(filename).replaceAll(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  return `${disposition}; filename="${plain}"; filename*=UTF-8''${exact}`;
}
