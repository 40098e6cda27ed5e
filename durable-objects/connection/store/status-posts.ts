// Status posts of others. They are messages of the status feed, so that replies, media and deletions find them; after a day
// they are gone, as on a phone.
import type { StatusPostRecord } from "../../../src/protocol/records.ts";
import { MESSAGE_COLUMNS, type MessageRow, recordOf } from "./message-record.ts";

export const STATUS_FEED = "status@broadcast";
export const STATUS_POST_SECONDS = 86_400;

export class StatusPosts {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** What others posted in the last day, newest first. `now` in Unix ms. */
  received(limit: number, now: number): StatusPostRecord[] {
    return this.#sql
      .exec<MessageRow>(
        `SELECT ${MESSAGE_COLUMNS} FROM messages m INDEXED BY messages_of_chat
         WHERE m.chat_id = ? AND m.timestamp > ? AND m.from_me = 0 AND m.deleted_at IS NULL ORDER BY m.timestamp DESC, m.place DESC LIMIT ?`,
        STATUS_FEED, Math.floor(now / 1000) - STATUS_POST_SECONDS, limit,
      )
      .toArray()
      .map((row) => {
        const { message_id, sender, push_name, type, text, media, timestamp } = recordOf(row);
        return { message_id, sender, push_name, type, text, media, timestamp, expires_at: (timestamp + STATUS_POST_SECONDS) * 1000 };
      });
  }
}
