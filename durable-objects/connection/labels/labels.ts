// Labels that the phone has reported since pairing. The network offers no way to read them.
import type { ChatId } from "@gateway/protocol/ids.ts";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import type { LabelRecord } from "@gateway/protocol/records.ts";
import { readNumber } from "../../shared/read-number.ts";

export const LABEL_SCHEMA = `
  CREATE TABLE labels (
    label_id TEXT PRIMARY KEY, name TEXT NOT NULL, color INTEGER NOT NULL, predefined INTEGER NOT NULL, deleted INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID;
  CREATE TABLE label_chats (chat_id TEXT NOT NULL, label_id TEXT NOT NULL, PRIMARY KEY (chat_id, label_id)) WITHOUT ROWID;
  CREATE INDEX label_chats_of_label ON label_chats (label_id, chat_id);
  CREATE TABLE label_messages (
    chat_id TEXT NOT NULL, message_id TEXT NOT NULL, label_id TEXT NOT NULL, PRIMARY KEY (chat_id, message_id, label_id)
  ) WITHOUT ROWID;
  CREATE INDEX label_messages_of_label ON label_messages (label_id);`;

export type Label = Omit<Extract<NetworkEvent, { type: "label.updated" }>, "type" | "timestamp">;

type LabelRow = { label_id: string; name: string; color: number; predefined: number; chats_count: number };

const COLUMNS = `l.label_id, l.name, l.color, l.predefined, (SELECT count(*) FROM label_chats a WHERE a.label_id = l.label_id) AS chats_count`;

export class Labels {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  put({ label_id, name, color, predefined }: Label): boolean {
    const query = `INSERT INTO labels (label_id, name, color, predefined) VALUES (?, ?, ?, ?)
      ON CONFLICT (label_id) DO UPDATE SET name = excluded.name, color = excluded.color, predefined = excluded.predefined, deleted = 0
      WHERE name <> excluded.name OR color <> excluded.color OR deleted = 1 RETURNING 1`;
    return this.#sql.exec(query, label_id, name, color, Number(predefined)).toArray().length > 0;
  }

  /** Marks the label as deleted. The row stays, because later events need the label's name. Null if the label did not exist. */
  remove(labelId: string): { name: string } | null {
    const query = "UPDATE labels SET deleted = 1 WHERE label_id = ? AND deleted = 0 RETURNING name";
    const removed = this.#sql.exec<{ name: string }>(query, labelId).toArray()[0] ?? null;
    this.#sql.exec("DELETE FROM label_chats WHERE label_id = ?", labelId);
    this.#sql.exec("DELETE FROM label_messages WHERE label_id = ?", labelId);
    return removed;
  }

  /** The label's name, even if the label is deleted. Null if no name was ever reported (right after pairing). */
  nameOf(labelId: string): string | null {
    return this.#sql.exec<{ name: string }>("SELECT name FROM labels WHERE label_id = ?", labelId).toArray()[0]?.name ?? null;
  }

  labelChat(labelId: string, chatId: ChatId, labelled: boolean): boolean {
    const query = labelled
      ? "INSERT OR IGNORE INTO label_chats (label_id, chat_id) VALUES (?, ?) RETURNING 1"
      : "DELETE FROM label_chats WHERE label_id = ? AND chat_id = ? RETURNING 1";
    return this.#sql.exec(query, labelId, chatId).toArray().length > 0;
  }

  labelMessage(labelId: string, chatId: ChatId, messageId: string, labelled: boolean): void {
    this.#sql.exec(
      labelled
        ? "INSERT OR IGNORE INTO label_messages (label_id, chat_id, message_id) VALUES (?, ?, ?)"
        : "DELETE FROM label_messages WHERE label_id = ? AND chat_id = ? AND message_id = ?",
      labelId,
      chatId,
      messageId,
    );
  }

  get(labelId: string): LabelRecord | null {
    const row = this.#sql.exec<LabelRow>(`SELECT ${COLUMNS} FROM labels l WHERE l.label_id = ? AND l.deleted = 0`, labelId).toArray()[0];
    return row === undefined ? null : labelRecordOf(row);
  }

  list(): LabelRecord[] {
    return this.#sql
      .exec<LabelRow>(`SELECT ${COLUMNS} FROM labels l WHERE l.deleted = 0 ORDER BY CAST(l.label_id AS INTEGER), l.label_id`)
      .toArray()
      .map(labelRecordOf);
  }

  highestId(): number {
    return readNumber(this.#sql, "SELECT MAX(CAST(label_id AS INTEGER)) FROM labels") ?? 0;
  }

  ofChat(chatId: ChatId): LabelRecord[] {
    return this.#sql
      .exec<LabelRow>(
        `SELECT ${COLUMNS} FROM label_chats c JOIN labels l ON l.label_id = c.label_id
         WHERE c.chat_id = ? AND l.deleted = 0 ORDER BY CAST(l.label_id AS INTEGER), l.label_id`,
        chatId,
      )
      .toArray()
      .map(labelRecordOf);
  }
}

function labelRecordOf({ predefined, ...row }: LabelRow): LabelRecord {
  return { ...row, predefined: predefined === 1 };
}
