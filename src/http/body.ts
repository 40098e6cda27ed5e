// Reading request bodies: capped, drained so that the client sees the answer, hashed as they are.
import { LIMITS } from "../domain/limits.ts";
import type { Failure } from "../protocol/failures.ts";

/**
 * A client that is still sending when it is answered sees a broken connection instead of the 413
 * (delivery-and-admission, X9): so much more is read and thrown away. The platform itself takes no more than 100 MB.
 */
const DRAIN_BYTES = 75 * 1024 * 1024;

export type RawBody = { ok: true; bytes: Uint8Array } | { ok: false; failure: Failure };

/** The whole body, or `body_too_large` when it is over 25 MB. Holds no more than the limit in memory. */
export async function readBody(request: Request, limitBytes: number = LIMITS.bodyBytes): Promise<RawBody> {
  if (request.body === null) return { ok: true, bytes: new Uint8Array(0) };
  const declared = Number(request.headers.get("content-length") ?? "0");
  let kept = new Gathered(declared <= limitBytes ? declared : 0);
  let size = 0;
  const reader = request.body.getReader();
  while (size <= limitBytes + DRAIN_BYTES) {
    const { done, value } = await reader.read();
    if (done) return size > limitBytes ? tooLarge : { ok: true, bytes: kept.whole() };
    size += value.length;
    if (size <= limitBytes) kept.add(value);
    else kept = new Gathered(0);
  }
  await reader.cancel();
  return tooLarge;
}

const tooLarge: RawBody = { ok: false, failure: { code: "body_too_large" } };

/** Bytes that arrive in pieces. They are put in place as they come when their number is known: half the memory of joining. */
class Gathered {
  #whole: Uint8Array;
  #size = 0;

  constructor(expected: number) {
    this.#whole = new Uint8Array(expected);
  }

  add(chunk: Uint8Array): void {
    const size = this.#size + chunk.length;
    if (size > this.#whole.length) {
      const larger = new Uint8Array(Math.max(size, this.#whole.length * 2));
      larger.set(this.#whole.subarray(0, this.#size));
      this.#whole = larger;
    }
    this.#whole.set(chunk, this.#size);
    this.#size = size;
  }

  whole(): Uint8Array {
    return this.#whole.subarray(0, this.#size);
  }
}

export type JsonBody = { ok: true; value: unknown } | { ok: false; failure: Failure };

/** An empty body is an empty object: what is missing in it is then said field by field. */
export function parseJsonBody(contentType: string | undefined, bytes: Uint8Array): JsonBody {
  if (bytes.length === 0) return { ok: true, value: {} };
  if (!isJson(contentType)) return { ok: false, failure: { code: "unsupported_media_type" } };
  try {
    return { ok: true, value: JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes)) };
  } catch {
    return { ok: false, failure: { code: "invalid_json" } };
  }
}

function isJson(contentType: string | undefined): boolean {
  return (contentType?.split(";")[0] ?? "").trim().toLowerCase() === "application/json";
}
