// The number's limits as reported by the network.
import { NewChatQuota } from "@gateway/protocol/events.ts";

export const ACCOUNT_LIMITS_SCHEMA = `
  CREATE TABLE account_limits (one INTEGER PRIMARY KEY CHECK (one = 1), checked_at INTEGER NOT NULL, new_chat_quota TEXT);`;

/** The network's data is considered fresh for this long (docs/use/apis.md, "Number health"). */
export const LIMITS_MAX_AGE_MS = 600_000;

export type StoredLimits = { checkedAt: number; newChatQuota: NewChatQuota | null };

export class AccountLimits {
  readonly #sql: SqlStorage;
  /** Changes with each `put`, and starts again when the object is evicted. */
  version = 0;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  get(): StoredLimits | null {
    const row = this.#sql
      .exec<{ checked_at: number; new_chat_quota: string | null }>("SELECT checked_at, new_chat_quota FROM account_limits")
      .toArray()[0];
    if (row === undefined) return null;
    const quota = row.new_chat_quota === null ? null : NewChatQuota.parse(JSON.parse(row.new_chat_quota));
    return { checkedAt: row.checked_at, newChatQuota: quota };
  }

  put({ checkedAt, newChatQuota }: StoredLimits): void {
    this.version += 1;
    this.#sql.exec(
      "INSERT OR REPLACE INTO account_limits (one, checked_at, new_chat_quota) VALUES (1, ?, ?)",
      checkedAt,
      newChatQuota === null ? null : JSON.stringify(newChatQuota),
    );
  }
}
