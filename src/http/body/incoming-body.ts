// The bytes of a request as they arrive.

/**
 * A client that is still sending when the answer comes sees a broken connection instead of the answer (docs/admission.md, "Request
 * bodies"). So the rest of a refused body is read and thrown away, up to so many bytes and milliseconds.
 */
export type Discard = { bytes: number; ms: number };

/** For callers whose credential was accepted. The platform itself takes no more than 100 MB. */
export const DISCARD_OF_CALLERS: Discard = { bytes: 75 * 1024 * 1024, ms: 30_000 };
/** For everybody else: the largest body that somebody could mean. */
export const DISCARD_OF_STRANGERS: Discard = { bytes: 25 * 1024 * 1024, ms: 10_000 };

export class IncomingBody {
  /** What `Content-Length` says; null when it says nothing. */
  readonly declaredBytes: number | null;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | null;

  constructor(request: Request) {
    const declared = request.headers.get("content-length");
    this.declaredBytes = declared === null ? null : Number(declared);
    this.#reader = request.body?.getReader() ?? null;
  }

  /** The next bytes; null at the end; `broken` when the body ended early or its chunks are malformed. */
  async next(): Promise<Uint8Array | null | "broken"> {
    if (this.#reader === null) return null;
    try {
      const { done, value } = await this.#reader.read();
      return done ? null : value;
    } catch {
      return "broken";
    }
  }

  /** Reads and throws away what is left, within these bounds. */
  async discard({ bytes, ms }: Discard): Promise<void> {
    const reader = this.#reader;
    if (reader === null) return;
    const cancel = () => void reader.cancel().catch(() => undefined);
    const timer = setTimeout(cancel, ms);
    for (let left = bytes; left >= 0;) {
      const chunk = await this.next();
      if (chunk === null || chunk === "broken") break;
      left -= chunk.length;
      if (left < 0) cancel();
    }
    clearTimeout(timer);
  }
}
