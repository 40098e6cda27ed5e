// Caches rendered responses: the object returns cached reads byte-identical, and rendering costs more than the rest of the call.
import { LRUCache } from "lru-cache";
import { LIMITS } from "@gateway/domain/limits.ts";

const MAX_CHARACTERS = 4_000_000;

export class RenderedAnswers {
  readonly #texts = new LRUCache<string, string>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (text, key) => text.length + key.length,
  });
  #clearedAt = 0;

  /** Entries live no longer than the object's own cache. `now` in Unix ms. */
  get(route: { name: string }, json: string, now: number, render: () => string): string {
    if (Math.abs(now - this.#clearedAt) >= LIMITS.readCacheMs) {
      this.#texts.clear();
      this.#clearedAt = now;
    }
    const key = `${route.name} ${json}`;
    const cached = this.#texts.get(key);
    if (cached !== undefined) return cached;
    const text = render();
    this.#texts.set(key, text);
    return text;
  }
}
