// A file that a customer sends. It is checked, and stored in R2 under an unguessable token until it expires.
import { LIMITS } from "@gateway/domain/limits.ts";
import { resolveMediaType, type FileRule } from "@gateway/domain/media/file-rules.ts";
import { sniffMediaType } from "@gateway/domain/media/sniff.ts";
import { mediaKey, tokenOfMediaName } from "@gateway/domain/media/media-link.ts";
import type { MediaRef } from "@gateway/protocol/content.ts";
import { fail, type Failure, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { fetchUrl, type Fetched, type OutgoingFetch, unreachable } from "./fetch-url.ts";
import { openMedia } from "./open.ts";
import { storeMedia, storeUnmeasured } from "./store.ts";

export type GivenFile = {
  source: { bytes: readonly Uint8Array[] } | { url: string };
  mimetype: string | null;
  filename: string | null;
  rule: FileRule;
};

export type FileStorage = {
  bucket: R2Bucket;
  outside: OutgoingFetch;
  appUrl: string;
  connection: string;
  isRemoved: (connection: string) => Promise<boolean>;
  retentionMs: number;
};

/** Fails with `media_unreachable`, `media_invalid`, `media_too_large`, `unavailable` or `instance_not_found`. `now` is in Unix ms. */
export async function storeGivenFile(storage: FileStorage, file: GivenFile, now: number): Promise<Outcome<MediaRef>> {
  const { source } = file;
  const stored = await ("bytes" in source ? storeBytes(storage, file, source.bytes, now) : storeFromUrl(storage, file, source.url, now));
  if (!stored.ok || !(await storage.isRemoved(storage.connection))) return stored;
  // Deletes the file if the connection was removed, because the removal may have listed the files before this one was stored.
  await storage.bucket.delete(mediaKey(stored.value.token));
  return fail("instance_not_found");
}

async function storeBytes(storage: FileStorage, file: GivenFile, bytes: readonly Uint8Array[], now: number): Promise<Outcome<MediaRef>> {
  const size = bytes.reduce((sum, piece) => sum + piece.length, 0);
  const { maxBytes = LIMITS.urlMediaBytes } = file.rule;
  if (size > maxBytes) return fail(tooLarge(file.rule));
  const type = resolveMediaType(file.rule, sniffMediaType(bytes[0] ?? new Uint8Array(0)), file.mimetype);
  if (!type.ok) return type;
  const media = { ...metadata(storage, file, now), mimetype: type.value, sizeBytes: size };
  const token = await storeMedia(storage.bucket, media, streamOf(bytes));
  if (token === null) return fail("unavailable");
  return succeed({ token, mimetype: type.value, filename: file.filename, size });
}

async function storeFromUrl(storage: FileStorage, file: GivenFile, url: string, now: number): Promise<Outcome<MediaRef>> {
  const signal = AbortSignal.timeout(LIMITS.urlMediaMs);
  const opened = (await openOwn(storage, url, now)) ?? (await fetchUrl(url, storage.outside, signal));
  if (!opened.ok) return opened;
  const { body, type: declared, sizeBytes } = opened.value;
  const { maxBytes = LIMITS.urlMediaBytes } = file.rule;
  if (sizeBytes !== null && sizeBytes > maxBytes) {
    await body.cancel();
    return fail(tooLarge(file.rule));
  }
  const media = {
    ...metadata(storage, file, now),
    maxBytes,
    tooLarge: tooLarge(file.rule),
    typeOf: (head: Uint8Array) => resolveMediaType(file.rule, sniffMediaType(head), file.mimetype ?? declared),
  };
  const stored = await storeUnmeasured(storage.bucket, media, body, signal);
  if (!stored.ok) return stored;
  const { token, mimetype, sizeBytes: size } = stored.value;
  return succeed({ token, mimetype, filename: file.filename, size });
}

async function openOwn({ appUrl, bucket, isRemoved }: FileStorage, url: string, now: number): Promise<Outcome<Fetched> | null> {
  const links = `${appUrl}/api/midia/`;
  if (!url.startsWith(links)) return null;
  const token = tokenOfMediaName(url.slice(links.length));
  const media = token === null ? null : await openMedia(bucket, token, now);
  if (media === null) return fail(unreachable("http_status", 404));
  if (await isRemoved(media.connection)) {
    await media.body.cancel();
    return fail(unreachable("http_status", 404));
  }
  return succeed({ body: media.body, type: media.mimetype, sizeBytes: media.sizeBytes });
}

function metadata({ connection, retentionMs }: FileStorage, { filename }: GivenFile, now: number) {
  return { connection, filename, expiresAt: now + retentionMs };
}

function tooLarge({ maxBytes }: FileRule): Failure {
  if (maxBytes === undefined) return { code: "media_too_large" };
  return { code: "media_invalid", details: { reason: "too_large", limit_bytes: maxBytes } };
}

function streamOf(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull: (controller) => {
      const piece = pieces[at];
      at += 1;
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
  });
}
