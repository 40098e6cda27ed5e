/** A map that forgets its oldest entries: no per-session memory without a bound (docs/durability.md, "Configuration of Baileys"). */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #most: number;

  constructor(most: number) {
    super();
    this.#most = most;
  }

  /** A key set again counts as new. */
  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#most)
      for (const oldest of this.keys()) {
        this.delete(oldest);
        break;
      }
    return this;
  }
}
