// How often Graph has refused to name a file of ours. Meta blocks a number that asks too often for what it does not get
// (docs/internals/cloud-webhooks.md, "Files"), so all files of the number share one budget.
import { HOUR_MS } from "@gateway/protocol/units.ts";

/** Refusals within an hour, after which a file is asked for again, and for the first time, no more. Meta blocks from 20 on. */
const HOURLY_LIMITS = { again: 10, first: 15 } as const;

export class Refusals {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  add(now: number): void {
    this.#sql.exec("DELETE FROM cloud_file_refusals WHERE at <= ?", now - HOUR_MS);
    this.#sql.exec("INSERT INTO cloud_file_refusals (at) VALUES (?)", now);
  }

  /** When a file may be asked for: `now`, or later while the budget is used up. */
  freeAt(which: keyof typeof HOURLY_LIMITS, now: number): number {
    const query = "SELECT at FROM cloud_file_refusals WHERE at > ? ORDER BY at DESC LIMIT 1 OFFSET ?";
    const [oldest] = this.#sql.exec<{ at: number }>(query, now - HOUR_MS, HOURLY_LIMITS[which] - 1).toArray();
    return oldest === undefined ? now : oldest.at + HOUR_MS;
  }
}
