// One SQLite transaction per event-loop turn. Dependent work waits for it, so no ack is sent before its message is stored.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

// Timeout for the folder's lock, which a killed process may still hold briefly.
const BUSY_MS = 1_000;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS account (pn TEXT PRIMARY KEY, lid TEXT NOT NULL UNIQUE, state TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS acquaintance (pn TEXT, other TEXT, PRIMARY KEY (pn, other)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS chat (pn TEXT, other TEXT, PRIMARY KEY (pn, other)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS device (
    pn TEXT, id INTEGER, platform TEXT NOT NULL, noise_key BLOB, registration_id INTEGER, identity_key BLOB,
    skey_id INTEGER, skey BLOB, skey_signature BLOB, PRIMARY KEY (pn, id)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS prekey (pn TEXT, device INTEGER, id INTEGER, value BLOB NOT NULL, PRIMARY KEY (pn, device, id)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS queue (
    seq INTEGER PRIMARY KEY, pn TEXT NOT NULL, device INTEGER NOT NULL, stanza BLOB NOT NULL, refused INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE IF NOT EXISTS patch (
    pn TEXT, collection TEXT, version INTEGER, patch BLOB NOT NULL, PRIMARY KEY (pn, collection, version)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS "group" (id TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS newsletter (id TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS newsletter_message (
    newsletter TEXT, server_id INTEGER, state TEXT NOT NULL, stanza BLOB NOT NULL,
    PRIMARY KEY (newsletter, server_id)) WITHOUT ROWID;
`;

type Write = { sql: string; values: () => SQLInputValue[] };

export class Journal {
  readonly #db: DatabaseSync | undefined;
  readonly #statements = new Map<string, StatementSync>();
  #pending = new Map<string, Write>();
  #waiting: Array<() => void> = [];
  #scheduled: NodeJS.Immediate | undefined;
  #releasing = false;

  constructor(stateDir: string | undefined) {
    if (stateDir === undefined) return;
    mkdirSync(stateDir, { recursive: true });
    this.#db = new DatabaseSync(join(stateDir, "network.sqlite"), { timeout: BUSY_MS });
    // WAL without sync survives `kill -9`. The lock is exclusive, so a second network on the folder fails at once.
    this.#db.exec(
      "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000;",
    );
    this.#db.exec(SCHEMA);
  }

  /** False for an in-memory database, where writes do nothing. */
  get keeps(): boolean {
    return this.#db !== undefined;
  }

  /** Writes at the end of the event-loop turn. Several writes to one `row` become one, with the latest `values()`. */
  write(row: string, sql: string, values: () => SQLInputValue[]): void {
    if (!this.#db?.isOpen) return;
    this.#pending.set(row, { sql, values });
    this.#scheduled ??= setImmediate(() => this.#commit());
  }

  read(sql: string, ...values: SQLInputValue[]): Array<Record<string, unknown>> {
    return this.#db ? this.#db.prepare(sql).all(...values) : [];
  }

  /** Runs `act` in order once all earlier writes are durable, or at once if none are pending. */
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
    this.#statement(db, "BEGIN").run();
    for (const { sql, values } of rows.values()) this.#statement(db, sql).run(...values());
    this.#statement(db, "COMMIT").run();
  }

  // A callback may write again. The remaining callbacks then wait for that write, because otherwise an ack could overtake it.
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
