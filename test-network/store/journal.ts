// Writes of one turn of the event loop go to SQLite in one transaction, and what depends on them waits until
// then: an ack is never sent before the message it confirms is stored, and a busy turn costs one commit.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { migrate } from "./schema.ts";

// A process that was just killed may hold the folder's lock for a moment.
const BUSY_MS = 1_000;

type Row = { sql: string; values: () => SQLInputValue[] };

export class Journal {
  readonly #db: DatabaseSync | undefined;
  readonly #statements = new Map<string, StatementSync>();
  #pending = new Map<string, Row>();
  #waiting: Array<() => void> = [];
  #scheduled: NodeJS.Immediate | undefined;
  #releasing = false;

  constructor(stateDir: string | undefined) {
    if (stateDir === undefined) return;
    mkdirSync(stateDir, { recursive: true });
    this.#db = new DatabaseSync(join(stateDir, "network.sqlite"), { timeout: BUSY_MS });
    // WAL without a sync per commit keeps every commit through `kill -9`: the operating system has the pages.
    // The exclusive lock makes a second network on the same folder fail at once instead of sharing queues.
    this.#db.exec(
      "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000;",
    );
    migrate(this.#db);
  }

  /** False in memory: nothing is read back and writes cost nothing. */
  get keeps(): boolean {
    return this.#db !== undefined;
  }

  /** Writes at the end of this turn; of several writes to one `row` only the last happens, with `values()` as of then. */
  write(row: string, sql: string, values: () => SQLInputValue[]): void {
    if (!this.#db?.isOpen) return;
    this.#pending.set(row, { sql, values });
    this.#scheduled ??= setImmediate(() => this.#commit());
  }

  read(sql: string, ...values: SQLInputValue[]): Array<Record<string, unknown>> {
    return this.#db ? this.#db.prepare(sql).all(...values) : [];
  }

  /** Runs `act` once everything written so far is durable; at once when nothing is pending. Order is preserved. */
  whenDurable(act: () => void): void {
    if (this.#pending.size === 0 && this.#waiting.length === 0 && !this.#releasing) act();
    else this.#waiting.push(act);
  }

  close(): void {
    if (!this.#db?.isOpen) return;
    this.#commit();
    this.#db.close();
  }

  #commit(): void {
    clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    if (this.#db && this.#pending.size > 0) this.#writeAll(this.#db);
    this.#release();
  }

  #writeAll(db: DatabaseSync): void {
    const rows = this.#pending;
    this.#pending = new Map();
    db.exec("BEGIN");
    for (const { sql, values } of rows.values()) this.#statement(db, sql).run(...values());
    db.exec("COMMIT");
  }

  // A released callback may write again; the remaining ones then wait for that write too, or an ack could overtake it.
  #release(): void {
    this.#releasing = true;
    let released = 0;
    try {
      while (released < this.#waiting.length && this.#pending.size === 0) this.#waiting[released++]?.();
    } finally {
      this.#waiting.splice(0, released);
      this.#releasing = false;
    }
  }

  #statement(db: DatabaseSync, sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) this.#statements.set(sql, (statement = db.prepare(sql)));
    return statement;
  }
}
