// The most recently changed Signal sessions are part of the progress row. This saves one row write per message in a busy chat.

/** Maximum number of sessions in the progress row. It is low, because a commit that changes one of these sessions rewrites all of them. */
const MAX_SESSIONS = 16;
const MAX_CHARACTERS = 4_000;

export class NewestSessions {
  readonly #sql: SqlStorage;
  #newest: Map<string, string> | undefined;
  #changed = false;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  takes(key: string, value: string): boolean {
    return key.startsWith("session|") && value.length <= MAX_CHARACTERS;
  }

  /** Adds the session. Returns the row that it displaces, which must be stored in the same block, or null. */
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

  clearCache(): void {
    this.#newest = undefined;
    this.#changed = false;
  }

  savepoint(): () => void {
    const [newest, changed] = [this.#newest && new Map(this.#newest), this.#changed];
    return () => {
      [this.#newest, this.#changed] = [newest, changed];
    };
  }

  /** Returns the JSON to store with the commit, or null if nothing changed. */
  take(): string | null {
    if (!this.#changed) return null;
    this.#changed = false;
    return JSON.stringify(this.all());
  }

  #read(): Map<string, string> {
    if (this.#newest === undefined) {
      const stored = this.#sql.exec<{ sessions: string | null }>("SELECT sessions FROM progress").toArray()[0]?.sessions ?? null;
      this.#newest = new Map(stored === null ? [] : (JSON.parse(stored) as [key: string, value: string][]));
    }
    return this.#newest;
  }
}
