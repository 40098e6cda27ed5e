// Reading request bodies: size limits, what is wrong with their form, hash of the raw bytes.
import { LIMITS } from "../../domain/limits.ts";
import { fail, type Failed } from "../../protocol/failures.ts";
import { ByteBuffer } from "./byte-buffer.ts";
import { FileExtractor, MAX_REST_BYTES } from "./file-extractor.ts";
import { type Discard, DISCARD_OF_CALLERS, DISCARD_OF_STRANGERS, IncomingBody } from "./incoming-body.ts";

type Taken = { ok: true } | Failed;

/** Passes the body on in chunks. Over the limit the rest is discarded. */
async function takeChunks(body: IncomingBody, limitBytes: number, discard: Discard, take: (chunk: Uint8Array) => void): Promise<Taken> {
  let size = 0;
  for (;;) {
    const chunk = await body.next();
    if (chunk === null) return { ok: true };
    if (chunk === "broken") return fail("body_incomplete");
    size += chunk.length;
    if (size > limitBytes) break;
    take(chunk);
  }
  await body.discard(discard);
  return fail("body_too_large", { details: { limit_bytes: limitBytes } });
}

export type JsonBody = { ok: true; value: unknown } | Failed;

/** The JSON of a small request, of a caller who need not have shown a credential yet. */
export async function readJson(request: Request, limitBytes: number): Promise<JsonBody> {
  const buffer = new ByteBuffer(0);
  const taken = await takeSmall(request, limitBytes, buffer);
  if (!taken.ok) return taken;
  return parsed(request, buffer.bytes().length === 0, () =>
    JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(buffer.bytes())),
  );
}

/** The fields of a page's form, of a caller who need not have shown a credential yet. */
export async function readForm(request: Request, limitBytes: number): Promise<{ ok: true; fields: URLSearchParams } | Failed> {
  const buffer = new ByteBuffer(0);
  const taken = await takeSmall(request, limitBytes, buffer);
  if (!taken.ok) return taken;
  if (!isOfType(request.headers.get("content-type"), "application/x-www-form-urlencoded")) return fail("unsupported_media_type");
  return { ok: true, fields: new URLSearchParams(new TextDecoder().decode(buffer.bytes())) };
}

function takeSmall(request: Request, limitBytes: number, buffer: ByteBuffer): Promise<Taken> {
  return takeChunks(new IncomingBody(request), limitBytes, DISCARD_OF_STRANGERS, (chunk) => buffer.append(chunk));
}

/** The body of a request that needs none: only its size is checked. */
export async function readNothing(request: Request, digest: BodyDigest): Promise<Taken> {
  return takeChunks(new IncomingBody(request), LIMITS.bodyBytes, DISCARD_OF_CALLERS, (chunk) => digest.update(chunk));
}

/**
 * The JSON of a request that may carry files (`base64` fields, `InlineFile` in the value). `digest` is fed with the body as it came.
 * Holds the files and little more in memory.
 */
export async function readJsonWithFiles(request: Request, digest: BodyDigest, limitBytes: number = LIMITS.bodyBytes): Promise<JsonBody> {
  const extractor = new FileExtractor();
  let isEmpty = true;
  const taken = await takeChunks(new IncomingBody(request), limitBytes, DISCARD_OF_CALLERS, (chunk) => {
    isEmpty &&= chunk.length === 0;
    digest.update(chunk);
    extractor.push(chunk);
  });
  if (!taken.ok) return taken;
  if (extractor.isTooLong) return fail("validation_error", { details: { limit_bytes: MAX_REST_BYTES } });
  return parsed(request, isEmpty, () => extractor.parse());
}

type BodyDigest = { update(chunk: Uint8Array): unknown };

/** An empty body is parsed as `{}`, so that the answer names the missing fields. `parse` throws on what is no JSON. */
function parsed(request: Request, isEmpty: boolean, parse: () => unknown): JsonBody {
  if (isEmpty) return { ok: true, value: {} };
  if (!isOfType(request.headers.get("content-type"), "application/json")) return fail("unsupported_media_type");
  try {
    return { ok: true, value: parse() };
  } catch {
    return fail("invalid_json");
  }
}

function isOfType(contentType: string | null, type: string): boolean {
  return (contentType?.split(";")[0] ?? "").trim().toLowerCase() === type;
}
