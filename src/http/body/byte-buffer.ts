/**
 * A growing byte buffer. `transfer` hands its memory back at once, where a copy would wait for the garbage collector, which does not
 * hurry under a flood.
 */
export class ByteBuffer {
  #whole: Uint8Array<ArrayBuffer>;
  #size = 0;

  constructor(expected: number) {
    this.#whole = new Uint8Array(expected);
  }

  append(chunk: Uint8Array): void {
    const size = this.#size + chunk.length;
    if (size > this.#whole.length) {
      this.#whole = new Uint8Array(this.#whole.buffer.transfer(Math.max(size, this.#whole.length * 2)));
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

  /** Empties it. */
  release(): void {
    this.#whole = new Uint8Array(this.#whole.buffer.transfer(0));
    this.#size = 0;
  }
}
