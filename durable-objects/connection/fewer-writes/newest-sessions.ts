// The Signal sessions (`session|…`) that changed last. Each message changes the one of its chat, so those of the newest chats stand in the
// row of the session's progress, which every commit writes anyway; one that has not changed for longer goes to `state_row`.

/** So many, and only short ones: every commit that changes one of them writes them all. */
const MAX_SESSIONS = 16;
const MAX_CHARACTERS = 4_000;

export class NewestSessions {
  readonly #sql: SqlStorage;
  /** By key, the one that changed last at the end; undefined until read. */
  #newest: Map<string, string> | undefined;
  #changed = false;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  takes(key: string, value: string): boolean {
    return key.startsWith("session|") && value.length <= MAX_CHARACTERS;
  }

  /** What it pushes out is to be stored in the same block; null: nothing. */
  put(key: string, value: string): [key: string, value: string] | null {
    const newest = this.#read();
    newest.delete(key);
    newest.set(key, value);
    this.#changed = true;
    if (newest.size <= MAX_SESSIONS) return null;
    const [first] = newest;
    if (first !== undefined) newest.delete(first[0]);
    return first ?? null;
  }

  delete(key: string): void {
    if (this.#read().delete(key)) this.#changed = true;
  }

  get(key: string): string | null {
    return this.#read().get(key) ?? null;
  }

  all(): [key: string, value: string][] {
    return [...this.#read()];
  }

  wipe(): void {
    this.#changed ||= this.#read().size > 0;
    this.#newest = new Map();
  }

  /** Drops what is cached, as a write was rolled back. */
  clearCache(): void {
    this.#newest = undefined;
    this.#changed = false;
  }

  /** What the commit has to write of them; null: they are as stored. */
  take(): string | null {
    if (!this.#changed) return null;
    this.#changed = false;
    return JSON.stringify(this.all());
  }

  #read(): Map<string, string> {
    if (this.#newest === undefined) {
      const stored = this.#sql.exec<{ sessions: string | null }>("SELECT sessions FROM progress").toArray()[0]?.sessions ?? null;
      // Written by `take` alone.
      this.#newest = new Map(stored === null ? [] : (JSON.parse(stored) as [key: string, value: string][]));
    }
    return this.#newest;
  }
}
