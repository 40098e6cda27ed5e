// The network's last report of how many new chats the account may start.
import { NewChatQuota } from "@gateway/protocol/health.ts";

/** `checkedAt` in Unix ms. */
export type StoredLimits = { checkedAt: number; newChatQuota: NewChatQuota | null };

export class AccountLimits {
  readonly #sql: SqlStorage;

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
    this.#sql.exec(
      "INSERT OR REPLACE INTO account_limits (one, checked_at, new_chat_quota) VALUES (1, ?, ?)",
      checkedAt,
      newChatQuota === null ? null : JSON.stringify(newChatQuota),
    );
  }
}
