/** Conditions of a WHERE clause with their bindings, in order. */
export class Conditions {
  readonly #parts: string[] = [];
  readonly bindings: SqlStorageValue[] = [];

  add(sql: string, ...bindings: SqlStorageValue[]): this {
    this.#parts.push(sql);
    this.bindings.push(...bindings);
    return this;
  }

  addIf(value: string | number | boolean | null, sql: string): this {
    return value === null ? this : this.add(sql, typeof value === "boolean" ? Number(value) : value);
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  get sql(): string {
    return this.isEmpty ? "TRUE" : this.#parts.join(" AND ");
  }
}

// Names have a trigram index, which finds any part of at least three characters, ignoring case and accents.
const MIN_SEARCH_CHARS = 3;

/** The full-text query for names that contain `text`; null when it is too short for the index. */
export function nameMatch(text: string): string | null {
  const part = text.trim();
  return Array.from(part).length < MIN_SEARCH_CHARS ? null : `"${part.replaceAll('"', '""')}"`;
}
