import type { ChatId, Person } from "@gateway/protocol/ids.ts";
import { personKey } from "../contacts/lids.ts";

export const REACTION_SCHEMA = `
  CREATE TABLE reactions (
    chat_id TEXT NOT NULL, message_id TEXT NOT NULL, who TEXT NOT NULL, phone TEXT, lid TEXT,
    reaction TEXT NOT NULL, timestamp INTEGER NOT NULL, PRIMARY KEY (chat_id, message_id, who)
  ) WITHOUT ROWID;`;

/** Message reactions, one per person. A removed reaction is stored as "", so that an older report cannot restore it. */
export class Reactions {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Returns false if a newer reaction was kept. */
  put(chatId: ChatId, messageId: string, by: Person | null, reaction: string, timestamp: number): boolean {
    const stored = this.#sql.exec(
      `INSERT INTO reactions (chat_id, message_id, who, phone, lid, reaction, timestamp) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (chat_id, message_id, who) DO UPDATE SET reaction = excluded.reaction, timestamp = excluded.timestamp
       WHERE excluded.timestamp >= timestamp RETURNING 1`,
      chatId,
      messageId,
      personKey(by),
      by?.phone ?? null,
      by?.lid ?? null,
      reaction,
      timestamp,
    );
    return stored.toArray().length > 0;
  }
}
