// Media in R2, each file under an unguessable token. Bytes are streamed and never buffered whole.
import { makeMediaToken, mediaKey } from "@gateway/domain/media/media-link.ts";
import { storableFilename } from "@gateway/protocol/files.ts";
import { fail, type Failure, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { unreachable } from "./fetch-url.ts";

type NewMedia = {
  connection: string;
  mimetype: string;
  filename: string | null;
  sizeBytes: number;
  expiresAt: number;
};

/** Stores exactly `sizeBytes` and returns the token. Null if the stream ended early or R2 failed. */
export async function storeMedia(bucket: R2Bucket, media: NewMedia, body: ReadableStream<Uint8Array>): Promise<string | null> {
  const token = makeMediaToken(crypto.getRandomValues(new Uint8Array(16)), media.connection, media.expiresAt);
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

function metadataOf({ connection, mimetype, filename, expiresAt }: Omit<NewMedia, "sizeBytes">): R2MultipartOptions {
  return {
    httpMetadata: { contentType: mimetype },
    customMetadata: {
      connection,
      expires: String(expiresAt),
      ...(filename === null ? {} : { filename: encodeURIComponent(storableFilename(filename)) }),
    },
  };
}

// Stores a file of unknown size as a multipart upload, with at most one part in memory.

/** All parts but the last must have the same size, at least 5 MiB. */
const PART_BYTES = 8 * 1024 * 1024;

type UnmeasuredMedia = Omit<NewMedia, "sizeBytes" | "mimetype"> & {
  typeOf: (head: Uint8Array) => Outcome<string>;
  maxBytes: number;
  tooLarge: Failure;
  token?: string;
};

type Stored = { token: string; mimetype: string; sizeBytes: number };

/** Fails like `typeOf` and `tooLarge`, or with `media_unreachable`, `media_invalid` (empty) or `unavailable`. Leaves nothing behind. */
export async function storeUnmeasured(
  bucket: R2Bucket,
  media: UnmeasuredMedia,
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): Promise<Outcome<Stored>> {
  const upload = new Upload(bucket, media);
  try {
    for await (const piece of chunksOf(body, PART_BYTES, signal)) {
      const failure = await upload.add(piece);
      if (failure !== null) return await upload.abort(failure);
    }
  } catch {
    return upload.abort(unreachable(signal.aborted ? "timeout" : "interrupted"));
  }
  return upload.finish();
}

class Upload {
  readonly #bucket: R2Bucket;
  readonly #media: UnmeasuredMedia;
  readonly #token: string;
  #size = 0;
  #mimetype = "";
  /** The first chunk, kept until a second one makes this a multipart upload. */
  #first: Uint8Array | null = null;
  #parts: { upload: R2MultipartUpload; done: R2UploadedPart[] } | null = null;

  constructor(bucket: R2Bucket, media: UnmeasuredMedia) {
    this.#bucket = bucket;
    this.#media = media;
    this.#token = media.token ?? makeMediaToken(crypto.getRandomValues(new Uint8Array(16)), media.connection, media.expiresAt);
  }

  async add(piece: Uint8Array): Promise<Failure | null> {
    if (this.#size === 0) {
      const type = this.#media.typeOf(piece);
      if (!type.ok) return type.failure;
      this.#mimetype = type.value;
    }
    this.#size += piece.length;
    if (this.#size > this.#media.maxBytes) return this.#media.tooLarge;
    // A short chunk is always the last one, but a full chunk may be the last one too.
    if (this.#parts === null && piece.length < PART_BYTES) {
      this.#first = piece;
      return null;
    }
    return (await this.#addPart(piece)) ? null : { code: "unavailable" };
  }

  async finish(): Promise<Outcome<Stored>> {
    if (this.#size === 0) return fail("media_invalid", { details: { reason: "empty" } });
    const stored = await (this.#parts === null ? this.#putWhole() : this.#complete(this.#parts)).then(
      () => true,
      () => false,
    );
    if (!stored) return this.abort({ code: "unavailable" });
    return succeed({ token: this.#token, mimetype: this.#mimetype, sizeBytes: this.#size });
  }

  async abort(failure: Failure): Promise<Outcome<never>> {
    await this.#parts?.upload.abort().catch(() => undefined);
    return fail(failure);
  }

  async #addPart(piece: Uint8Array): Promise<boolean> {
    try {
      this.#parts ??= { upload: await this.#bucket.createMultipartUpload(this.#key, this.#metadata), done: [] };
      this.#parts.done.push(await this.#parts.upload.uploadPart(this.#parts.done.length + 1, piece));
      return true;
    } catch {
      return false;
    }
  }

  #putWhole(): Promise<unknown> {
    return this.#bucket.put(this.#key, this.#first ?? new Uint8Array(0), this.#metadata);
  }

  #complete({ upload, done }: { upload: R2MultipartUpload; done: R2UploadedPart[] }): Promise<unknown> {
    return upload.complete(done);
  }

  get #key(): string {
    return mediaKey(this.#token);
  }

  get #metadata(): R2MultipartOptions {
    return metadataOf({ ...this.#media, mimetype: this.#mimetype });
  }
}

const FIRST_BYTES = 64 * 1024;

/** Yields chunks of `chunkBytes`. The last one may be shorter. They share a buffer, so each is valid only until the next one. */
async function* chunksOf(body: ReadableStream<Uint8Array>, chunkBytes: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  const chunk = new ChunkBuffer(chunkBytes);
  try {
    for (;;) {
      const { done, value } = await within(signal, reader.read());
      if (done) break;
      for (let rest: Uint8Array = value; rest.length > 0;) {
        rest = chunk.append(rest);
        if (!chunk.isFull) continue;
        yield chunk.bytes;
        chunk.clear();
      }
    }
    if (chunk.bytes.length > 0) yield chunk.bytes;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

class ChunkBuffer {
  readonly #maxBytes: number;
  #buffer = new Uint8Array(FIRST_BYTES);
  #used = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#used);
  }

  get isFull(): boolean {
    return this.#used === this.#maxBytes;
  }

  clear(): void {
    this.#used = 0;
  }

  append(bytes: Uint8Array): Uint8Array {
    const fitting = bytes.subarray(0, this.#maxBytes - this.#used);
    const needed = this.#used + fitting.length;
    if (needed > this.#buffer.length) {
      const larger = new Uint8Array(Math.min(this.#maxBytes, Math.max(needed, this.#buffer.length * 2)));
      larger.set(this.bytes);
      this.#buffer = larger;
    }
    this.#buffer.set(fitting, this.#used);
    this.#used = needed;
    return bytes.subarray(fitting.length);
  }
}

async function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason as Error);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
