// `GET /api/midia/<token>.<ext>`, where the token is the credential (docs/operate/untrusted-input.md, "Media links").
import type { AppContext } from "../http/app-env.ts";
import { englishFailure } from "../http/english-failure.ts";
import { fileHeaders, INERT, readRange } from "../http/file-headers.ts";
import { tokenOfMediaName } from "@gateway/domain/media/media-link.ts";
import { lookUpMedia, type MediaFacts, openMedia, type OpenMedia } from "../services/media/open.ts";
import { connectionIsRemoved } from "../services/connections/existence.ts";

export async function publicMedia(c: AppContext): Promise<Response> {
  c.get("facts").route = "/api/midia/{name}";
  const token = tokenOfMediaName(c.req.param("name") ?? "");
  if (token === null) return notFound(c);
  const now = Date.now();
  const facts = await lookUpMedia(c.env.MEDIA, token, now);
  if (facts === null || (await connectionIsRemoved(c.env.DB, facts.connection))) return notFound(c);
  if (c.req.header("if-none-match") === facts.etag) return new Response(null, { status: 304, headers: headersOf(facts, now) });
  const range = readRange(c.req.header("range"), facts.sizeBytes);
  if (range === "unsatisfiable") {
    return new Response(null, {
      status: 416,
      headers: { ...INERT, "Content-Range": `bytes */${facts.sizeBytes}`, "Accept-Ranges": "bytes" },
    });
  }
  const media = await openMedia(c.env.MEDIA, token, now, range ?? undefined);
  return media === null ? notFound(c) : respondWith(media, now);
}

/** Unknown tokens, expired tokens, and files of removed connections get the same response. */
function notFound(c: AppContext): Response {
  for (const [name, value] of Object.entries({ ...INERT, "Cache-Control": "no-store" })) c.header(name, value);
  return englishFailure(c, "media_expired", 404);
}

function respondWith(media: OpenMedia, now: number): Response {
  const headers = headersOf(media, now);
  const { range, sizeBytes } = media;
  headers.set("Content-Length", String(range?.length ?? sizeBytes));
  if (range !== null) headers.set("Content-Range", `bytes ${range.offset}-${range.offset + range.length - 1}/${sizeBytes}`);
  return new Response(media.body, { status: range === null ? 200 : 206, headers });
}

function headersOf(media: MediaFacts, now: number): Headers {
  return new Headers({
    ...fileHeaders(media.mimetype, media.filename, { shown: true }),
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex",
    "Cache-Control": `private, max-age=${Math.max(0, Math.floor((media.expiresAt - now) / 1000))}`,
    "Accept-Ranges": "bytes",
    ETag: media.etag,
  });
}
