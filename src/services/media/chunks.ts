// A stream in pieces of one size, as an upload in parts wants them.

const FIRST_BYTES = 64 * 1024;

/**
 * Pieces of exactly `pieceBytes`, the last one shorter. They share their memory: a piece is good until the next one is asked for.
 * Throws what the stream throws, and the signal's reason when it is aborted first.
 */
export async function* chunksOf(body: ReadableStream<Uint8Array>, pieceBytes: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  const piece = new Piece(pieceBytes);
  try {
    for (;;) {
      const { done, value } = await within(signal, reader.read());
      if (done) break;
      for (let rest: Uint8Array = value; rest.length > 0;) {
        rest = piece.take(rest);
        if (!piece.isFull) continue;
        yield piece.bytes;
        piece.clear();
      }
    }
    if (piece.bytes.length > 0) yield piece.bytes;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Grows up to its size as it is filled: most files are small. */
class Piece {
  readonly #most: number;
  #room = new Uint8Array(FIRST_BYTES);
  #used = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get bytes(): Uint8Array {
    return this.#room.subarray(0, this.#used);
  }

  get isFull(): boolean {
    return this.#used === this.#most;
  }

  clear(): void {
    this.#used = 0;
  }

  /** What did not fit. */
  take(bytes: Uint8Array): Uint8Array {
    const taken = bytes.subarray(0, this.#most - this.#used);
    const needed = this.#used + taken.length;
    if (needed > this.#room.length) {
      const larger = new Uint8Array(Math.min(this.#most, Math.max(needed, this.#room.length * 2)));
      larger.set(this.bytes);
      this.#room = larger;
    }
    this.#room.set(taken, this.#used);
    this.#used = needed;
    return bytes.subarray(taken.length);
  }
}

/** A read that the signal ends too: not every stream hears of it. */
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
