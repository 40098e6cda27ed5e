/** A growing byte buffer. Allocated at once when the size is known, which takes half the memory of joining chunks. */
export class ByteBuffer {
  #whole: Uint8Array;
  #size = 0;

  constructor(expected: number) {
    this.#whole = new Uint8Array(expected);
  }

  append(chunk: Uint8Array): void {
    const size = this.#size + chunk.length;
    if (size > this.#whole.length) {
      const larger = new Uint8Array(Math.max(size, this.#whole.length * 2));
      larger.set(this.#whole.subarray(0, this.#size));
      this.#whole = larger;
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
}
