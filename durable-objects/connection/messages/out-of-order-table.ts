// Changes that arrived before their message. `apply-out-of-order.ts` applies them.
import type { ChatId } from "@gateway/protocol/ids.ts";

/** Deletions are kept per person, so that a forged one does not replace the author's. */
type OutOfOrderKind = "status" | "edit" | "media" | "star" | `delete${string}`;
type OutOfOrderRow = { kind: OutOfOrderKind; value: string };

export class OutOfOrderEvents {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  add(chatId: ChatId, messageId: string, kind: OutOfOrderKind, value: unknown, now: number): void {
    this.#sql.exec(
      `INSERT INTO out_of_order (chat_id, message_id, kind, value, noted_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (chat_id, message_id, kind) DO UPDATE SET value = excluded.value`,
      chatId,
      messageId,
      kind,
      JSON.stringify(value),
      now,
    );
  }

  find(chatId: ChatId, messageId: string, kind: OutOfOrderKind): string | null {
    const query = "SELECT value FROM out_of_order WHERE chat_id = ? AND message_id = ? AND kind = ?";
    return this.#sql.exec<{ value: string }>(query, chatId, messageId, kind).toArray()[0]?.value ?? null;
  }

  of(chatId: ChatId, messageId: string): OutOfOrderRow[] {
    const query = "SELECT kind, value FROM out_of_order WHERE chat_id = ? AND message_id = ? ORDER BY no";
    return this.#sql.exec<OutOfOrderRow>(query, chatId, messageId).toArray();
  }

  /** Called once the events are applied. A trigger then deletes files that the message did not use. */
  removeAll(chatId: ChatId, messageId: string): void {
    this.#sql.exec("DELETE FROM out_of_order WHERE chat_id = ? AND message_id = ?", chatId, messageId);
  }
}
