// Stores a file of unknown size as a multipart upload, with at most one part in memory.
import { makeMediaToken, mediaKey } from "@gateway/domain/media/media-link.ts";
import { fail, type Failure, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { chunksOf } from "./chunks.ts";
import { unreachable } from "./fetch-url.ts";
import { type NewMedia, metadataOf } from "./store.ts";

/** All parts but the last must have the same size, at least 5 MiB. */
const PART_BYTES = 8 * 1024 * 1024;

export type UnmeasuredMedia = Omit<NewMedia, "sizeBytes" | "mimetype"> & {
  typeOf: (head: Uint8Array) => Outcome<string>;
  maxBytes: number;
  tooLarge: Failure;
  token?: string;
};

export type Stored = { token: string; mimetype: string; sizeBytes: number };

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
    // A short chunk is always the last one; a full one may be.
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
