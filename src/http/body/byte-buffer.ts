/** A growing byte buffer. `transfer` frees memory at once, whereas a copy would wait for the garbage collector. */
export class ByteBuffer {
  #whole: Uint8Array<ArrayBuffer>;
  #size = 0;
  readonly #large: number;
  readonly #largest: number;

  /** Doubles its capacity. Beyond `largeBytes`, it grows to `largestBytes` at once, to avoid fragmentation. */
  constructor(expected: number, { largeBytes, largestBytes }: { largeBytes: number; largestBytes: number } = NO_LARGEST) {
    this.#whole = new Uint8Array(expected);
    this.#large = largeBytes;
    this.#largest = largestBytes;
  }

  append(chunk: Uint8Array): void {
    const size = this.#size + chunk.length;
    if (size > this.#whole.length) {
      const grown = size > this.#large ? this.#largest : this.#whole.length * 2;
      this.#whole = new Uint8Array(this.#whole.buffer.transfer(Math.max(size, grown)));
    }
    this.#whole.set(chunk, this.#size);
    this.#size = size;
  }

  get size(): number {
    return this.#size;
  }

  bytes(): Uint8Array {
    return this.#whole.subarray(0, this.#size);
  }

  release(): void {
    this.#whole = new Uint8Array(this.#whole.buffer.transfer(0));
    this.#size = 0;
  }
}

const NO_LARGEST = { largeBytes: Number.POSITIVE_INFINITY, largestBytes: 0 };
