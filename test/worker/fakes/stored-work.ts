// Work that an object has stored, by its meaning, so that only this file depends on the tables.
type Sql = <T extends Record<string, SqlStorageValue>>(query: string, ...bindings: unknown[]) => Promise<T[]>;

export class StoredWork {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async session(): Promise<{ generation: number; lease: { phase: string; tries?: number } }> {
    const [row] = await this.#sql<{ state: string }>("SELECT state FROM instance");
    return JSON.parse(row?.state ?? "{}") as Awaited<ReturnType<StoredWork["session"]>>;
  }

  /** Sends that were dispatched and have no outcome yet. */
  dispatchedSends(): Promise<number> {
    return this.#count("outbox WHERE state = 'asked'");
  }

  async addOwnerAlert(at: number): Promise<void> {
    await this.#sql("INSERT INTO owner_alert (at, due_at) VALUES (?1, ?1)", at);
  }

  untriedOwnerAlerts(): Promise<number> {
    return this.#count("owner_alert WHERE tries = 0");
  }

  /** Hours of the statistics that D1 has. */
  pushedHours(): Promise<number> {
    return this.#count("counted_hour WHERE unpushed = 0");
  }

  signingSecrets(): Promise<number> {
    return this.#count("secret");
  }

  idempotencyKeys(): Promise<number> {
    return this.#count("replay");
  }

  deliveries(): Promise<number> {
    return this.#count("delivery");
  }

  async addDedupeKey(at: number): Promise<void> {
    await this.#sql("INSERT INTO dedupe_key (key, seen_at) VALUES ('A', ?)", at);
  }

  dedupeKeys(): Promise<number> {
    return this.#count("dedupe_key");
  }

  /** Push notifications that are still due. */
  dueNotifications(): Promise<number> {
    return this.#count("notification");
  }

  /** When the next push notification is due (Unix ms). */
  async nextNotificationAt(): Promise<number | undefined> {
    const [row] = await this.#sql<{ due_at: number }>("SELECT due_at FROM notification");
    return row?.due_at;
  }

  /** Browsers that get push notifications. */
  notifiedBrowsers(): Promise<number> {
    return this.#count("notified");
  }

  async #count(rows: string): Promise<number> {
    const [found] = await this.#sql<{ count: number }>(`SELECT count(*) AS count FROM ${rows}`);
    return found?.count ?? 0;
  }
}
