/** A map that forgets what was used longest ago (or is too old) once it holds more than `limit` entries. */
export class Lru<V> {
  readonly #entries = new Map<string, { value: V; expiresAt: number }>();
  readonly #limit: number;
  readonly #lifetimeMs: number;

  constructor(limit: number, lifetimeMs = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
    this.#lifetimeMs = lifetimeMs;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.expiresAt <= Date.now()) return undefined;
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, expiresAt: Date.now() + this.#lifetimeMs });
    if (this.#entries.size <= this.#limit) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}
