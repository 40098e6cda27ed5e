// Other people's status posts, and the audience of ours. Posts are stored as messages in the status feed and deleted after a day.
import * as z from "zod";
import { Person } from "@gateway/protocol/ids.ts";
import type { StatusPostRecord } from "@gateway/protocol/records.ts";
import { firstOf } from "../store/pagination.ts";
import { MESSAGE_COLUMNS, type MessageRow, messageRecordOf } from "../messages/message-record.ts";
import { DAY_SECONDS } from "@gateway/protocol/units.ts";

// The people who can see one of our status posts: JSON of Person[].
export const STATUS_AUDIENCE_SCHEMA = `
  CREATE TABLE status_audiences (no INTEGER PRIMARY KEY, message_id TEXT NOT NULL UNIQUE, recipients TEXT NOT NULL, kept_at INTEGER NOT NULL);`;

export const STATUS_FEED = "status@broadcast";
export const STATUS_POST_SECONDS = DAY_SECONDS;

const Audience = z.array(Person);

export class StatusPosts {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Stores the audience, because a deletion must be sent to the same people. `now` in Unix ms. */
  storeAudience(messageId: string, recipients: readonly Person[], now: number): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO status_audiences (message_id, recipients, kept_at) VALUES (?, ?, ?)",
      messageId,
      JSON.stringify(recipients),
      now,
    );
  }

  /** Null if the post was made on the phone, which does not report its audience. */
  audience(messageId: string): Person[] | null {
    const row = this.#sql
      .exec<{ recipients: string }>("SELECT recipients FROM status_audiences WHERE message_id = ?", messageId)
      .toArray()[0];
    return row === undefined ? null : Audience.parse(JSON.parse(row.recipients));
  }

  received(limit: number, now: number): StatusPostRecord[] {
    const rows = this.#sql.exec<MessageRow>(
      `SELECT ${MESSAGE_COLUMNS} FROM messages m INDEXED BY messages_of_chat
       WHERE m.chat_id = ? AND m.timestamp > ? AND m.from_me = 0 AND m.deleted_at IS NULL ORDER BY m.timestamp DESC, m.place DESC LIMIT ?`,
      STATUS_FEED,
      Math.floor(now / 1000) - STATUS_POST_SECONDS,
      limit,
    );
    return firstOf(rows, limit).shown.map((row) => {
      const { message_id, sender, push_name, type, text, media, background = null, timestamp } = messageRecordOf(row);
      return {
        message_id,
        sender,
        push_name,
        type,
        text,
        media,
        background,
        timestamp,
        expires_at: (timestamp + STATUS_POST_SECONDS) * 1000,
      };
    });
  }
}
