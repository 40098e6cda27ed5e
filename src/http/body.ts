// Reading request bodies: size limit, draining after a 413, hash of the raw bytes.
import { LIMITS } from "../domain/limits.ts";
import { fail, type Failed } from "../protocol/failures.ts";
import { FileExtractor, MAX_REST_BYTES } from "./file-extractor.ts";
import { ByteBuffer } from "./byte-buffer.ts";

/**
 * A client that is still sending when the answer comes sees a broken connection instead of the 413
 * (docs/admission.md, "Request bodies"): up to this much more is read and discarded. The platform itself takes no more than 100 MB.
 */
const DRAIN_BYTES = 75 * 1024 * 1024;

type BodySink = {
  take: (chunk: Uint8Array) => void;
  /** The limit is exceeded: release everything taken so far. */
  drop: () => void;
};

/** Passes the body on in chunks. False over the limit: the rest is read and discarded. */
async function readChunks(request: Request, limitBytes: number, { take, drop }: BodySink): Promise<boolean> {
  if (request.body === null) return true;
  let size = 0;
  const reader = request.body.getReader();
  while (size <= limitBytes + DRAIN_BYTES) {
    const { done, value } = await reader.read();
    if (done) return size <= limitBytes;
    size += value.length;
    if (size <= limitBytes) take(value);
    else drop();
  }
  await reader.cancel();
  return false;
}

export type RawBody = { ok: true; bytes: Uint8Array } | Failed;

/** The whole body, or `body_too_large` when it is over 25 MB. Holds no more than the limit in memory. */
export async function readBody(request: Request, limitBytes: number = LIMITS.bodyBytes): Promise<RawBody> {
  const declared = Number(request.headers.get("content-length") ?? "0");
  let buffer = new ByteBuffer(declared <= limitBytes ? declared : 0);
  const whole = await readChunks(request, limitBytes, {
    take: (chunk) => buffer.append(chunk),
    drop: () => void (buffer = new ByteBuffer(0)),
  });
  return whole ? { ok: true, bytes: buffer.bytes() } : fail("body_too_large");
}

export type JsonBody = { ok: true; value: unknown } | Failed;

/**
 * The JSON of a request that may carry files (`base64` fields, `InlineFile` in the value). `digest` is fed with the body as it came.
 * Holds the files and little more in memory.
 */
export async function readJsonWithFiles(request: Request, digest: BodyDigest, limitBytes: number = LIMITS.bodyBytes): Promise<JsonBody> {
  let extractor = new FileExtractor();
  let isEmpty = true;
  const whole = await readChunks(request, limitBytes, {
    take: (chunk) => {
      isEmpty &&= chunk.length === 0;
      digest.update(chunk);
      extractor.push(chunk);
    },
    drop: () => void (extractor = new FileExtractor()),
  });
  if (!whole) return fail("body_too_large");
  if (isEmpty) return { ok: true, value: {} };
  if (!isJson(request.headers.get("content-type") ?? undefined)) return fail("unsupported_media_type");
  if (extractor.isTooLong) return fail("validation_error", { details: { limit_bytes: MAX_REST_BYTES } });
  try {
    return { ok: true, value: extractor.parse() };
  } catch {
    return fail("invalid_json");
  }
}

type BodyDigest = { update(chunk: Uint8Array): unknown };

/** An empty body is parsed as `{}`, so that the answer names the missing fields. */
export function parseJsonBody(contentType: string | undefined, bytes: Uint8Array): JsonBody {
  if (bytes.length === 0) return { ok: true, value: {} };
  if (!isJson(contentType)) return fail("unsupported_media_type");
  try {
    return { ok: true, value: JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes)) };
  } catch {
    return fail("invalid_json");
  }
}

function isJson(contentType: string | undefined): boolean {
  return (contentType?.split(";")[0] ?? "").trim().toLowerCase() === "application/json";
}
