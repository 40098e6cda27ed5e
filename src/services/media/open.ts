import { mediaKey } from "@gateway/domain/media/media-link.ts";

export type MediaFacts = {
  connection: string;
  mimetype: string;
  filename: string | null;
  sizeBytes: number;
  etag: string;
  expiresAt: number;
};
export type OpenMedia = MediaFacts & { body: ReadableStream; range: { offset: number; length: number } | null };

/** Returns null when the file does not exist or has expired. `now` is in Unix ms. */
export async function openMedia(bucket: R2Bucket, token: string, now: number, range?: R2Range): Promise<OpenMedia | null> {
  const found = await bucket.get(mediaKey(token), range === undefined ? {} : { range });
  if (found === null) return null;
  const facts = factsOf(found);
  if (facts === null || facts.expiresAt <= now) {
    await found.body.cancel();
    return null;
  }
  return { ...facts, body: found.body, range: range === undefined ? null : sliceOf(range, facts.sizeBytes) };
}

export async function lookUpMedia(bucket: R2Bucket, token: string, now: number): Promise<MediaFacts | null> {
  const found = await bucket.head(mediaKey(token));
  const facts = found === null ? null : factsOf(found);
  return facts === null || facts.expiresAt <= now ? null : facts;
}

function factsOf(object: R2Object): MediaFacts | null {
  const { connection, expires, filename } = object.customMetadata ?? {};
  if (connection === undefined || expires === undefined) return null;
  return {
    connection,
    mimetype: object.httpMetadata?.contentType ?? "application/octet-stream",
    filename: filename === undefined ? null : decodeURIComponent(filename),
    sizeBytes: object.size,
    etag: object.httpEtag,
    expiresAt: Number(expires),
  };
}

function sliceOf(range: R2Range, sizeBytes: number): { offset: number; length: number } {
  if ("suffix" in range) return { offset: Math.max(0, sizeBytes - range.suffix), length: Math.min(range.suffix, sizeBytes) };
  const offset = range.offset ?? 0;
  return { offset, length: Math.min(range.length ?? sizeBytes - offset, sizeBytes - offset) };
}
