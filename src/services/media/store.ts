// Media in R2, each file under an unguessable token. Bytes are streamed, never buffered whole.
import { makeMediaToken, mediaKey } from "@gateway/domain/media/media-link.ts";
import { storableFilename } from "@gateway/protocol/files.ts";

export type NewMedia = {
  connection: string;
  mimetype: string;
  filename: string | null;
  sizeBytes: number;
  expiresAt: number;
};

/** Stores exactly `sizeBytes` and returns the token; null when the stream ended early or R2 failed. */
export async function storeMedia(bucket: R2Bucket, media: NewMedia, body: ReadableStream<Uint8Array>): Promise<string | null> {
  const token = makeMediaToken(crypto.getRandomValues(new Uint8Array(16)), media.connection, media.expiresAt);
  // R2 accepts no stream of unknown length (see `store-unmeasured.ts`).
  const exact = new FixedLengthStream(media.sizeBytes);
  const sent = body.pipeTo(exact.writable).then(
    () => true,
    () => false,
  );
  const stored = bucket.put(mediaKey(token), exact.readable, metadataOf(media)).then(
    () => true,
    () => false,
  );
  const [whole, put] = await Promise.all([sent, stored]);
  if (whole && put) return token;
  if (put) await bucket.delete(mediaKey(token));
  return null;
}

export function metadataOf({ connection, mimetype, filename, expiresAt }: Omit<NewMedia, "sizeBytes">): R2MultipartOptions {
  return {
    httpMetadata: { contentType: mimetype },
    customMetadata: {
      connection,
      expires: String(expiresAt),
      ...(filename === null ? {} : { filename: encodeURIComponent(storableFilename(filename)) }),
    },
  };
}
