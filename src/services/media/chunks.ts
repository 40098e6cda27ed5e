const FIRST_BYTES = 64 * 1024;

/** Exactly `chunkBytes`, the last one shorter. They share a buffer: a chunk is valid until the next. Throws the stream's error. */
export async function* chunksOf(body: ReadableStream<Uint8Array>, chunkBytes: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
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
