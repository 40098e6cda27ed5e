// Collects the writes of one event-loop turn into one SQLite transaction and delays dependent work until then. So an ack is never sent
// before its message is stored, and a busy turn costs one commit.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { migrate } from "./schema.ts";

// A killed process may still hold the folder's lock for a moment.
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
    // WAL without a sync per commit survives `kill -9`: the operating system has the pages. The exclusive lock makes a second network on
    // the same folder fail at once.
    this.#db.exec(
      "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000;",
    );
    migrate(this.#db);
  }

  /** False in memory, where writes do nothing. */
  get keeps(): boolean {
    return this.#db !== undefined;
  }

  /** Writes at the end of the turn. Several writes to one `row` become one, with `values()` as of then. */
  write(row: string, sql: string, values: () => SQLInputValue[]): void {
    if (!this.#db?.isOpen) return;
    this.#pending.set(row, { sql, values });
    this.#scheduled ??= setImmediate(() => this.#commit());
  }

  read(sql: string, ...values: SQLInputValue[]): Array<Record<string, unknown>> {
    return this.#db ? this.#db.prepare(sql).all(...values) : [];
  }

  /** Runs `act` once all earlier writes are durable, in order; at once when none are pending. */
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

  // A callback may write again; the remaining ones then wait for that write, or an ack could overtake it.
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
