// The bytes of a request as they arrive.
import { LIMITS } from "../../domain/limits.ts";

/**
 * A client that is still sending when the answer comes sees a broken connection instead of the answer (docs/admission.md, "Request
 * bodies"). So the rest of a refused body is read and thrown away, up to so many bytes and milliseconds.
 */
export type Discard = { bytes: number; ms: number };

/** For callers whose credential was accepted. The platform itself takes no more than 100 MB. */
export const DISCARD_OF_CALLERS: Discard = { bytes: 75 * 1024 * 1024, ms: 30_000 };
/** For everybody else: the largest body that somebody could mean. */
export const DISCARD_OF_STRANGERS: Discard = { bytes: LIMITS.bodyBytes, ms: 10_000 };

const BUFFER_BYTES = 16 * 1024;

export class IncomingBody {
  /** What `Content-Length` says; null when it says nothing. */
  readonly declaredBytes: number | null;
  readonly contentType: string | null;
  readonly #request: Request;
  /** Undefined until the first byte is wanted. */
  #opened: ReadableStreamDefaultReader<Uint8Array> | null | undefined;
  /** Read ahead by `isLongerThan`. */
  readonly #held: Uint8Array[] = [];

  constructor(request: Request) {
    const declared = request.headers.get("content-length");
    this.declaredBytes = declared === null ? null : Number(declared);
    this.contentType = request.headers.get("content-type");
    this.#request = request;
  }

  /** Reads no further than to know it. A body that breaks off before is not. */
  async isLongerThan(bytes: number): Promise<boolean> {
    if (this.declaredBytes !== null) return this.declaredBytes > bytes;
    const ahead: Uint8Array[] = [];
    for (let size = 0; size <= bytes;) {
      const chunk = await this.next();
      if (chunk === null || chunk === "broken") break;
      ahead.push(chunk);
      size += chunk.length;
    }
    this.#held.push(...ahead);
    return ahead.reduce((size, chunk) => size + chunk.length, 0) > bytes;
  }

  /** The next bytes; null at the end; `broken` when the body ended early or its chunks are malformed. */
  async next(): Promise<Uint8Array | null | "broken"> {
    const held = this.#held.shift();
    if (held !== undefined) return held;
    const reader = this.#reader();
    if (reader === null) return null;
    try {
      const { done, value } = await reader.read();
      return done ? null : value;
    } catch {
      return "broken";
    }
  }

  /** Reads and throws away what is left, within these bounds. */
  async discard({ bytes, ms }: Discard): Promise<void> {
    this.#opened?.releaseLock();
    this.#opened = null;
    const reader = this.#request.body?.getReader({ mode: "byob" });
    if (reader === undefined) return;
    const cancel = () => void reader.cancel().catch(() => undefined);
    const timer = setTimeout(cancel, ms);
    // One buffer for all of it, so that a flood leaves no garbage.
    let buffer = new Uint8Array(BUFFER_BYTES);
    let left = bytes;
    try {
      while (left >= 0) {
        const { done, value } = await reader.read(buffer);
        if (done) break;
        left -= value.length;
        buffer = new Uint8Array(value.buffer);
        if (left < 0) cancel();
      }
    } catch {
      // Broken off: there is nothing left to discard.
    }
    clearTimeout(timer);
  }

  #reader(): ReadableStreamDefaultReader<Uint8Array> | null {
    this.#opened ??= this.#request.body?.getReader() ?? null;
    return this.#opened;
  }
}
