import type { ChatId, Person } from "@gateway/protocol/ids.ts";
import { personKey } from "../contacts/person-columns.ts";

/** Reactions to messages, one per person. A removed one stays as "" so that an older report cannot bring it back. */
export class Reactions {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** `by` null: ourselves. `timestamp` in Unix seconds. */
  put(chatId: ChatId, messageId: string, by: Person | null, reaction: string, timestamp: number): void {
    this.#sql.exec(
      `INSERT INTO reactions (chat_id, message_id, who, phone, lid, reaction, timestamp) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (chat_id, message_id, who) DO UPDATE SET reaction = excluded.reaction, timestamp = excluded.timestamp
       WHERE excluded.timestamp >= timestamp`,
      chatId,
      messageId,
      personKey(by),
      by?.phone ?? null,
      by?.lid ?? null,
      reaction,
      timestamp,
    );
  }
}
