// Deduplicates emails across shards: the default pool records which pool emailed whom.
import { HOUR_MS } from "@gateway/protocol/units.ts";
import type { MailClaim } from "#root/src/services/bridges/pool-stub.ts";

/** An alarm that stays open longer than this is ignored. */
const ALARM_MS = 48 * HOUR_MS;
/** The time by which all numbers hit by one outage have been offline for an hour. */
const OUTAGE_MS = 2 * HOUR_MS;

export class MailClaims {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Returns the emails that this pool has to send: alarms that no other pool has, and owners not yet emailed about this outage. */
  claim({ pool, raised, over, owners }: MailClaim, now: number): Omit<MailClaim, "pool"> {
    this.#sql.exec("DELETE FROM pool_alarm WHERE at <= ?", now - ALARM_MS);
    this.#sql.exec("DELETE FROM mailed_owner WHERE at <= ?", now - OUTAGE_MS);
    for (const name of raised) this.#sql.exec("INSERT OR REPLACE INTO pool_alarm (name, pool, at) VALUES (?, ?, ?)", name, pool, now);
    for (const name of over) this.#sql.exec("DELETE FROM pool_alarm WHERE name = ? AND pool = ?", name, pool);
    const isOwn = (name: string) =>
      this.#sql.exec("SELECT 1 FROM pool_alarm WHERE name = ? AND pool <> ?", name, pool).toArray().length === 0;
    for (const owner of owners) this.#sql.exec("INSERT OR IGNORE INTO mailed_owner (owner, pool, at) VALUES (?, ?, ?)", owner, pool, now);
    const isMailer = (owner: string) =>
      this.#sql.exec("SELECT 1 FROM mailed_owner WHERE owner = ? AND pool = ?", owner, pool).toArray().length > 0;
    return { raised: raised.filter(isOwn), over: over.filter(isOwn), owners: owners.filter(isMailer) };
  }
}
