// State rows that expire and are rarely read. The newest are part of the progress row, and full batches of one type become a page. This
// saves two row writes per send: the insert and the expiry.
import { DAY_MS, earliest } from "@gateway/protocol/units.ts";
import { COLD_ROWS } from "@gateway/protocol/session-socket.ts";
import { readNumber } from "../../shared/read-number.ts";

const RETENTION_MS: Record<(typeof COLD_ROWS)[number], number> = { sent: 7 * DAY_MS, plain: DAY_MS, poll: 90 * DAY_MS };

export const COLD_ROW_RETENTION_MS: ReadonlyMap<string, number> = new Map(Object.entries(RETENTION_MS));

type Cold = { value: string; expiresAt: number };
type Page = { type: string; no: number; keys: string; vals: string };

const PAGE_ROWS = 16;
/** A longer value is stored as a separate page, so that commits stay short. */
const MAX_SHORT_CHARACTERS = 4_000;
const PURGE_BATCH_PAGES = 500;

export class ColdRows {
  readonly #sql: SqlStorage;
  #newest: Map<string, Cold> | undefined;
  #changed = false;
  #oldest: number | null | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  put(key: string, value: string, expiresAt: number): void {
    const newest = this.#read();
    if (newest.delete(key)) this.#changed = true;
    if (value.length > MAX_SHORT_CHARACTERS) return this.#addPage(typeOf(key), [[key, { value, expiresAt }]]);
    newest.set(key, { value, expiresAt });
    this.#changed = true;
    if (this.#oldest !== undefined) this.#oldest = earliest([this.#oldest, expiresAt]);
    const type = typeOf(key);
    const ofType = [...newest].filter(([other]) => typeOf(other) === type);
    if (ofType.length < PAGE_ROWS) return;
    this.#addPage(type, ofType);
    for (const [other] of ofType) newest.delete(other);
  }

  delete(key: string): void {
    if (this.#read().delete(key)) this.#changed = true;
    for (const { type, no, keys, vals } of this.#pagesWith(key)) {
      const values = textsOf(vals);
      const rest = textsOf(keys)
        .map((other, at) => [other, values[at]] as const)
        .filter(([other]) => other !== key);
      this.#sql.exec(
        "UPDATE cold_page SET keys = ?, vals = ? WHERE type = ? AND no = ?",
        JSON.stringify(rest.map(([other]) => other)),
        JSON.stringify(rest.map(([, value]) => value)),
        type,
        no,
      );
    }
  }

  get(key: string): string | null {
    const newest = this.#read().get(key);
    if (newest !== undefined) return newest.value;
    const [page] = this.#pagesWith(key);
    return page === undefined ? null : (textsOf(page.vals)[textsOf(page.keys).lastIndexOf(key)] ?? null);
  }

  get isEmpty(): boolean {
    return this.#read().size === 0 && this.#sql.exec("SELECT 1 FROM cold_page LIMIT 1").toArray().length === 0;
  }

  wipe(): void {
    this.#sql.exec("DELETE FROM cold_page");
    this.#changed ||= this.#read().size > 0;
    this.#newest = new Map();
    this.#oldest = null;
  }

  clearCache(): void {
    this.#newest = undefined;
    this.#changed = false;
    this.#oldest = undefined;
  }

  savepoint(): () => void {
    const [newest, changed, oldest] = [this.#newest && new Map(this.#newest), this.#changed, this.#oldest];
    return () => {
      [this.#newest, this.#changed, this.#oldest] = [newest, changed, oldest];
    };
  }

  /** Returns the JSON to store with the commit, or null if nothing changed. */
  take(): string | null {
    if (!this.#changed) return null;
    this.#changed = false;
    return JSON.stringify([...this.#read()].map(([key, { value, expiresAt }]) => [key, value, expiresAt]));
  }

  get oldest(): number | null {
    if (this.#oldest === undefined) {
      const pages = COLD_ROWS.map((type) =>
        readNumber(this.#sql, "SELECT (SELECT expires_at FROM cold_page WHERE type = ? ORDER BY no LIMIT 1)", type),
      );
      this.#oldest = earliest([...pages, ...[...this.#read().values()].map(({ expiresAt }) => expiresAt)]);
    }
    return this.#oldest;
  }

  /** Deletes expired rows in batches. A page expires with its last row. */
  purge(now: number): void {
    for (const type of COLD_ROWS) {
      this.#sql.exec(
        `DELETE FROM cold_page WHERE type = ?1 AND expires_at <= ?2 AND no IN
           (SELECT no FROM cold_page WHERE type = ?1 ORDER BY no LIMIT ?3)`,
        type,
        now,
        PURGE_BATCH_PAGES,
      );
    }
    for (const [key, { expiresAt }] of this.#read()) if (expiresAt <= now && this.#read().delete(key)) this.#changed = true;
    this.#store();
  }

  /** Corrects the newest rows. `TIME_COLUMNS` contains the tables. */
  clockSetBack(now: number): void {
    for (const [key, row] of this.#read()) {
      const latest = now + (COLD_ROW_RETENTION_MS.get(typeOf(key)) ?? 0);
      this.#changed ||= row.expiresAt > latest;
      row.expiresAt = Math.min(row.expiresAt, latest);
    }
    this.#store();
  }

  #store(): void {
    const newest = this.take();
    if (newest !== null) this.#sql.exec("UPDATE progress SET cold = ?", newest);
    this.#oldest = undefined;
  }

  #addPage(type: string, rows: readonly (readonly [string, Cold])[]): void {
    this.#sql.exec(
      `INSERT INTO cold_page (type, no, expires_at, keys, vals)
       VALUES (?1, ifnull((SELECT max(no) FROM cold_page WHERE type = ?1), 0) + 1, ?2, ?3, ?4)`,
      type,
      Math.max(...rows.map(([, { expiresAt }]) => expiresAt)),
      JSON.stringify(rows.map(([key]) => key)),
      JSON.stringify(rows.map(([, { value }]) => value)),
    );
    this.#oldest = undefined;
  }

  #pagesWith(key: string): Page[] {
    return this.#sql
      .exec<Page>(
        "SELECT type, no, keys, vals FROM cold_page WHERE type = ? AND instr(keys, ?) > 0 ORDER BY no DESC",
        typeOf(key),
        JSON.stringify(key),
      )
      .toArray();
  }

  #read(): Map<string, Cold> {
    if (this.#newest === undefined) {
      const stored = this.#sql.exec<{ cold: string | null }>("SELECT cold FROM progress").toArray()[0]?.cold ?? null;
      const rows = stored === null ? [] : (JSON.parse(stored) as [key: string, value: string, expiresAt: number][]);
      this.#newest = new Map(rows.map(([key, value, expiresAt]) => [key, { value, expiresAt }]));
    }
    return this.#newest;
  }
}

export function typeOf(key: string): string {
  return key.slice(0, key.indexOf("|"));
}

function textsOf(json: string): string[] {
  return JSON.parse(json) as string[];
}
