// The session's state rows, which are opaque because the bridge encrypts them. A key's type is the part before `|`.
import type { StateRow } from "@gateway/protocol/session-socket.ts";
import { type Grid, gridOf } from "@gateway/domain/spread.ts";
import { HOUR_MS, earliest } from "@gateway/protocol/units.ts";
import { COLD_ROW_RETENTION_MS, ColdRows, typeOf } from "./cold-rows.ts";
import { NewestSessions } from "./newest-sessions.ts";
import { readNumber } from "../../shared/read-number.ts";

/** Maximum characters per row, because SQLite in objects rejects rows above 2 MB. */
const PART_CHARACTERS = 1_000_000;
const SLICE_CHARACTERS = 500_000;
const PURGE_BATCH_ROWS = 2_000;

export type StoredRow = [key: string, value: string];

export class StateRows {
  readonly #sql: SqlStorage;
  readonly #cold: ColdRows;
  readonly #sessions: NewestSessions;
  readonly #hours: Grid;
  #inParts: Set<string> | null = null;
  #oldest: number | null | undefined;

  constructor(sql: SqlStorage, hours: Grid = gridOf("", HOUR_MS)) {
    this.#sql = sql;
    this.#cold = new ColdRows(sql);
    this.#sessions = new NewestSessions(sql);
    this.#hours = hours;
  }

  /** Writes the rows in order. A null deletes its row. The newest cold rows and sessions are stored with the commit (`take`). */
  write(rows: readonly StateRow[], now: number): void {
    for (const [key, value] of rows) {
      const retentionMs = retentionMsOf(key);
      if (value === null) this.#delete(key, retentionMs !== null);
      else this.#put(key, value, retentionMs === null ? null : now + retentionMs);
    }
  }

  /** Returns JSON for the commit's progress row, or null if nothing changed. */
  take(): { cold: string | null; sessions: string | null } {
    return { cold: this.#cold.take(), sessions: this.#sessions.take() };
  }

  /** All rows that are not cold, in slices. The last slice may be empty. */
  *slices(): Generator<{ rows: StoredRow[]; last: boolean }> {
    let rows: StoredRow[] = [];
    let characters = 0;
    for (const [key, whole] of this.#current()) {
      if (rows.length > 0 && characters + key.length + whole.length > SLICE_CHARACTERS) {
        yield { rows, last: false };
        rows = [];
        characters = 0;
      }
      rows.push([key, whole]);
      characters += key.length + whole.length;
    }
    yield { rows, last: true };
  }

  fetch(keys: readonly string[]): StoredRow[] {
    return keys.flatMap((key) => {
      const cold = retentionMsOf(key) === null ? null : this.#cold.get(key);
      const newest = cold ?? this.#sessions.get(key);
      if (newest !== null) return [[key, newest] satisfies StoredRow];
      const row = this.#sql
        .exec<{ value: string }>(`SELECT value FROM ${retentionMsOf(key) === null ? "state_row" : "cold_row"} WHERE key = ?`, key)
        .toArray()[0];
      return row === undefined ? [] : [[key, this.#whole(key, row.value)] satisfies StoredRow];
    });
  }

  /** False if this message of ours certainly was not sent, because its bytes were never stored. */
  hasSent(messageId: string): boolean {
    return this.fetch([`sent|${messageId}`]).length > 0;
  }

  isEmpty(): boolean {
    const stored = this.#sql.exec("SELECT 1 FROM state_row UNION ALL SELECT 1 FROM cold_row LIMIT 1").toArray().length > 0;
    return !stored && this.#cold.isEmpty && this.#sessions.all().length === 0;
  }

  wipe(): void {
    for (const table of ["state_row", "cold_row", "row_part"]) this.#sql.exec(`DELETE FROM ${table}`);
    this.#cold.wipe();
    this.#sessions.wipe();
    this.#inParts = new Set();
    this.#oldest = null;
  }

  rolledBack(): void {
    this.#cold.clearCache();
    this.#sessions.clearCache();
    this.#inParts = null;
    this.#oldest = undefined;
  }

  /** The newest rows are in memory until the commit's end, so an event that is skipped must not drop them. */
  savepoint(): () => void {
    const undo = [this.#cold.savepoint(), this.#sessions.savepoint()];
    const [inParts, oldest] = [this.#inParts && new Set(this.#inParts), this.#oldest];
    return () => {
      for (const each of undo) each();
      [this.#inParts, this.#oldest] = [inParts, oldest];
    };
  }

  /** When the next rows expire, rounded up to the connection's slot in the next hour, so that they expire together. */
  nextDue(): number | null {
    if (this.#oldest === undefined) {
      this.#oldest = readNumber(this.#sql, "SELECT MIN(expires_at) FROM cold_row");
    }
    const due = earliest([this.#oldest, this.#cold.oldest]);
    return due === null ? null : this.#hours(due);
  }

  clockSetBack(now: number): void {
    this.#cold.clockSetBack(now);
    this.#oldest = undefined;
  }

  run(now: number): void {
    const due = this.nextDue();
    if (due === null || now < due) return;
    const gone = this.#sql
      .exec<{ key: string }>(
        "DELETE FROM cold_row WHERE rowid IN (SELECT rowid FROM cold_row WHERE expires_at <= ? LIMIT ?) RETURNING key",
        now,
        PURGE_BATCH_ROWS,
      )
      .toArray();
    for (const { key } of gone) this.#dropParts(key);
    this.#cold.purge(now);
    this.#oldest = undefined;
  }

  #put(key: string, value: string, expiresAt: number | null): void {
    const inParts = value.length > PART_CHARACTERS;
    this.#dropParts(key);
    if (this.#sessions.takes(key, value)) {
      const older = this.#sessions.put(key, value);
      return older === null ? undefined : this.#store(...older);
    }
    this.#sessions.delete(key);
    if (expiresAt !== null && !inParts) return this.#cold.put(key, value, expiresAt);
    if (expiresAt !== null) this.#cold.delete(key);
    if (inParts) this.#putParts(key, value);
    const stored = inParts ? "" : value;
    if (expiresAt === null) return this.#store(key, stored);
    this.#sql.exec("INSERT OR REPLACE INTO cold_row (key, value, expires_at) VALUES (?, ?, ?)", key, stored, expiresAt);
    if (this.#oldest !== undefined) this.#oldest = earliest([this.#oldest, expiresAt]);
  }

  #store(key: string, value: string): void {
    this.#sql.exec("INSERT INTO state_row (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", key, value);
  }

  #delete(key: string, cold: boolean): void {
    this.#dropParts(key);
    this.#sessions.delete(key);
    if (cold) this.#cold.delete(key);
    this.#sql.exec(cold ? "DELETE FROM cold_row WHERE key = ?" : "DELETE FROM state_row WHERE key = ?", key);
  }

  #putParts(key: string, value: string): void {
    for (let part = 0; part * PART_CHARACTERS < value.length; part++) {
      const slice = value.slice(part * PART_CHARACTERS, (part + 1) * PART_CHARACTERS);
      this.#sql.exec("INSERT INTO row_part (key, part, value) VALUES (?, ?, ?)", key, part, slice);
    }
    this.#parts().add(key);
  }

  #dropParts(key: string): void {
    if (!this.#parts().delete(key)) return;
    this.#sql.exec("DELETE FROM row_part WHERE key = ?", key);
  }

  *#current(): Generator<StoredRow> {
    for (const { key, value } of this.#sql.exec<{ key: string; value: string }>("SELECT key, value FROM state_row"))
      if (this.#sessions.get(key) === null) yield [key, this.#whole(key, value)];
    yield* this.#sessions.all();
  }

  #whole(key: string, value: string): string {
    if (value !== "") return value;
    const parts = this.#sql.exec<{ value: string }>("SELECT value FROM row_part WHERE key = ? ORDER BY part", key).toArray();
    return parts.map((part) => part.value).join("");
  }

  #parts(): Set<string> {
    this.#inParts ??= new Set(
      this.#sql
        .exec<{ key: string }>("SELECT DISTINCT key FROM row_part")
        .toArray()
        .map((row) => row.key),
    );
    return this.#inParts;
  }
}

/** How long a row is kept, or null for types that do not expire. */
function retentionMsOf(key: string): number | null {
  return COLD_ROW_RETENTION_MS.get(typeOf(key)) ?? null;
}
