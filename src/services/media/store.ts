// Media in R2, each file under an unguessable token. Bytes pass through as streams and are never held whole.
import { makeMediaToken, mediaKey, truncateFilename } from "../../domain/media/media-link.ts";

export type NewMedia = {
  /** UUID of the connection it belongs to. */
  connection: string;
  mimetype: string;
  filename: string | null;
  sizeBytes: number;
  /** Unix ms. */
  expiresAt: number;
};

/** Stores exactly `sizeBytes` of the stream and answers its token; null when they did not arrive whole or could not be kept. */
export async function storeMedia(bucket: R2Bucket, media: NewMedia, body: ReadableStream<Uint8Array>): Promise<string | null> {
  const token = makeMediaToken(crypto.getRandomValues(new Uint8Array(16)), media.expiresAt);
  // R2 takes no stream of unknown length (`store-unmeasured.ts` stores those).
  const exact = new FixedLengthStream(media.sizeBytes);
  const sent = body.pipeTo(exact.writable).then(
    () => true,
    () => false,
  );
  const stored = bucket.put(mediaKey(token), exact.readable, metadataOf(media)).then(
    () => true,
    () => false,
  );
  const [whole, kept] = await Promise.all([sent, stored]);
  if (whole && kept) return token;
  if (kept) await bucket.delete(mediaKey(token));
  return null;
}

/** What R2 keeps beside the bytes; `open.ts` reads it. */
export function metadataOf({ connection, mimetype, filename, expiresAt }: Omit<NewMedia, "sizeBytes">): R2MultipartOptions {
  return {
    httpMetadata: { contentType: mimetype },
    customMetadata: {
      connection,
      expires: String(expiresAt),
      ...(filename === null ? {} : { filename: encodeURIComponent(truncateFilename(filename)) }),
    },
  };
}
