/** A map that drops its least recently used entries when the sum of their sizes exceeds `max`. An entry's size is 1 by default. */
export class LruMap<V> {
  /** A Map iterates in the order of insertion, so the first entry is the least recently used. */
  readonly #entries = new Map<string, V>();
  readonly #max: number;
  readonly #sizeOf: (value: V, key: string) => number;
  #size = 0;

  constructor(max: number, sizeOf: (value: V, key: string) => number = () => 1) {
    this.#max = max;
    this.#sizeOf = sizeOf;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  get(key: string): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  /** Does not store an entry that alone is larger than `max`. */
  set(key: string, value: V): void {
    this.delete(key);
    const size = this.#sizeOf(value, key);
    if (size > this.#max) return;
    this.#entries.set(key, value);
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#max) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#size -= this.#sizeOf(value, key);
  }

  clear(): void {
    this.#entries.clear();
    this.#size = 0;
  }
}
