// Media between bridge and R2: the bridge uploads incoming files and downloads outgoing ones (docs/internals/bridges.md, "The session socket").
import { isMediaToken, mediaKey } from "@gateway/domain/media/media-link.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import type { AppContext } from "../http/app-env.ts";
import { englishFailure } from "../http/english-failure.ts";
import { fileHeaders } from "../http/file-headers.ts";
import { MAX_MEDIA_BYTES, MEDIA_HEADERS, type StoredMediaAnswer } from "@gateway/protocol/internal-http.ts";
import { connectionIsRemoved } from "../services/connections/create.ts";
import { openMedia } from "../services/media/open.ts";
import { storeMedia } from "../services/media/store.ts";
import { mediaTypeOf } from "@gateway/protocol/files.ts";
import type { z } from "zod";
import { DAY_MS } from "@gateway/protocol/units.ts";

export async function receiveMedia(c: AppContext, connection: string): Promise<Response> {
  c.var.facts.route = "/internal/media/{connection}";
  const sizeBytes = Number(c.req.header("content-length") ?? Number.NaN);
  const body = c.req.raw.body;
  if (!Number.isInteger(sizeBytes) || sizeBytes <= 0 || body === null) {
    return englishFailure(c, { code: "validation_error", issues: [{ field: "content-length", issue: "required, greater than 0" }] });
  }
  if (sizeBytes > MAX_MEDIA_BYTES) return englishFailure(c, "media_too_large");
  const media = {
    connection,
    sizeBytes,
    mimetype: mediaTypeOf(c.req.header("content-type") ?? ""),
    filename: readFilename(c.req.header(MEDIA_HEADERS.filename)),
    expiresAt: Date.now() + retentionMs(c.req.header(MEDIA_HEADERS.days)),
  };
  const token = await storeMedia(c.env.MEDIA, media, body);
  if (token === null) return englishFailure(c, "unavailable");
  // Delete the file again, because the removal may have listed the files before this one was stored.
  if (await connectionIsRemoved(c.env.DB, connection)) {
    await c.env.MEDIA.delete(mediaKey(token));
    return englishFailure(c, "instance_not_found");
  }
  const answer: z.infer<typeof StoredMediaAnswer> = { token, size: sizeBytes };
  return c.json(answer, 201);
}

export async function sendMedia(c: AppContext, connection: string, token: string | undefined): Promise<Response> {
  c.var.facts.route = "/internal/media/{connection}/{token}";
  if (token === undefined || !isMediaToken(token)) return englishFailure(c, "media_expired");
  const media = await openMedia(c.env.MEDIA, token, Date.now());
  if (media === null) return englishFailure(c, "media_expired");
  if (media.connection !== connection) {
    await media.body.cancel();
    return englishFailure(c, "media_expired");
  }
  return c.body(media.body, 200, { ...fileHeaders(media.mimetype, null, { shown: false }), "Content-Length": String(media.sizeBytes) });
}

/** The retention that the connection's owner set, limited to the allowed range (docs/use/apis.md, "Settings and pacing"). */
function retentionMs(header: string | undefined): number {
  return /^([1-9]|[12]\d|30)$/.test(header ?? "") ? Number(header) * DAY_MS : LIMITS.mediaRetentionMs;
}

function readFilename(header: string | undefined): string | null {
  if (header === undefined) return null;
  try {
    return decodeURIComponent(header);
  } catch {
    return null;
  }
}
