// Bytes of uploads that are not part of a message yet. A connection's uploads are counted in its object, and an account's in its guard.
import { LIMITS } from "@gateway/domain/limits.ts";
import type { Migrations } from "./migrate.ts";
import { readNumber } from "./read-number.ts";

export const UPLOAD_MIGRATIONS: Migrations = [
  "CREATE TABLE upload (token TEXT PRIMARY KEY, bytes INTEGER NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID",
];

/** Also matches rows dated in the future, which are left over after the clock was set back. */
const IS_OVER = `expires_at <= ?1 OR expires_at > ?1 + ${LIMITS.uploads.lifeMs}`;

export class UploadLedger {
  readonly #sql: SqlStorage;
  readonly #maxBytes: number;

  constructor(sql: SqlStorage, maxBytes: number) {
    this.#sql = sql;
    this.#maxBytes = maxBytes;
  }

  /** Records or corrects an upload's size. Returns null, or the ms until there is enough space. */
  claim(token: string, bytes: number, now: number): number | null {
    const others = this.#sql
      .exec<{ bytes: number; expires_at: number }>(
        `SELECT bytes, expires_at FROM upload WHERE NOT (${IS_OVER}) AND token <> ?2 ORDER BY expires_at`,
        now,
        token,
      )
      .toArray();
    let excess = others.reduce((sum, other) => sum + other.bytes, bytes) - this.#maxBytes;
    for (const other of others) {
      if (excess <= 0) break;
      excess -= other.bytes;
      if (excess <= 0) return other.expires_at - now;
    }
    this.#sql.exec(
      "INSERT INTO upload (token, bytes, expires_at) VALUES (?, ?, ?) ON CONFLICT (token) DO UPDATE SET bytes = excluded.bytes",
      token,
      bytes,
      now + LIMITS.uploads.lifeMs,
    );
    return null;
  }

  removeExpired(now: number): string[] {
    return this.#sql
      .exec<{ token: string }>(`DELETE FROM upload WHERE ${IS_OVER} RETURNING token`, now)
      .toArray()
      .map(({ token }) => token);
  }

  nextDue(): number | null {
    return readNumber(this.#sql, "SELECT min(expires_at) FROM upload");
  }
}
