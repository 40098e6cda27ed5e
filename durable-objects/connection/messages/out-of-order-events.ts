// Events that arrived before their message: receipts of a message sent by the phone, an edit of one that had to be requested again.
// Stored until the message arrives, or for as long as dedupe keys.
import type { ChatId } from "@gateway/protocol/ids.ts";

export type OutOfOrderKind = "status" | "edit" | "delete" | "media" | "star";
export type OutOfOrderRow = { kind: OutOfOrderKind; value: string };

export class OutOfOrderEvents {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The last event of a kind wins. `now` in Unix ms. */
  add(chatId: ChatId, messageId: string, kind: OutOfOrderKind, value: unknown, now: number): void {
    this.#sql.exec(
      `INSERT INTO early (chat_id, message_id, kind, value, noted_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (chat_id, message_id, kind) DO UPDATE SET value = excluded.value`,
      chatId,
      messageId,
      kind,
      JSON.stringify(value),
      now,
    );
  }

  find(chatId: ChatId, messageId: string, kind: OutOfOrderKind): string | null {
    const query = "SELECT value FROM early WHERE chat_id = ? AND message_id = ? AND kind = ?";
    return this.#sql.exec<{ value: string }>(query, chatId, messageId, kind).toArray()[0]?.value ?? null;
  }

  /** All events of a message, in the order of their arrival. */
  of(chatId: ChatId, messageId: string): OutOfOrderRow[] {
    const query = "SELECT kind, value FROM early WHERE chat_id = ? AND message_id = ? ORDER BY no";
    return this.#sql.exec<OutOfOrderRow>(query, chatId, messageId).toArray();
  }

  /** To be called when they have been applied: a file that the message has not taken over is deleted. */
  removeAll(chatId: ChatId, messageId: string): void {
    this.#sql.exec("DELETE FROM early WHERE chat_id = ? AND message_id = ?", chatId, messageId);
  }
}
