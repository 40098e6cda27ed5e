// What the object serves from its read cache is the same text every time: drawing it again would cost more than the rest of the call.
import { LIMITS } from "../domain/limits.ts";
import type { Route } from "./route.ts";

/** Bounds memory; whatever is dropped is drawn again. */
const MOST_CHARACTERS = 4_000_000;

export class RenderedAnswers {
  #kept = new Map<Route, Map<string, string>>();
  #characters = 0;
  #since = 0;

  /** `draw` makes the text of the object's answer `json`. At `now` (Unix ms) nothing is used that is older than the object's own cache. */
  get(route: Route, json: string, now: number, draw: () => string): string {
    if (now - this.#since >= LIMITS.readCacheMs || this.#characters > MOST_CHARACTERS) this.#forget(now);
    const known = this.#kept.get(route)?.get(json);
    if (known !== undefined) return known;
    const text = draw();
    const texts = this.#kept.get(route) ?? new Map<string, string>();
    this.#kept.set(route, texts.set(json, text));
    this.#characters += json.length + text.length;
    return text;
  }

  #forget(now: number): void {
    this.#kept = new Map();
    this.#characters = 0;
    this.#since = now;
  }
}
