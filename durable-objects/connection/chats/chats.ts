import { type ChatId, chatKind } from "@gateway/protocol/ids.ts";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import type { StoredMedia } from "@gateway/protocol/message.ts";
import { countRows } from "../../shared/read-number.ts";

// `unread_chats` is a table, because an index would be written with every message.
export const CHAT_SCHEMA = `
  CREATE TABLE chats (
    no INTEGER PRIMARY KEY, chat_id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, name TEXT,
    unread_count INTEGER NOT NULL DEFAULT 0, marked_unread INTEGER NOT NULL DEFAULT 0,
    archived INTEGER NOT NULL DEFAULT 0, pinned INTEGER NOT NULL DEFAULT 0,
    muted_until INTEGER, disappearing_seconds INTEGER NOT NULL DEFAULT 0, picture TEXT,
    last_no INTEGER, last_at INTEGER NOT NULL DEFAULT 0, updated_at INTEGER NOT NULL,
    place INTEGER GENERATED ALWAYS AS (no) VIRTUAL
  );
  CREATE INDEX chats_in_order ON chats (pinned, last_at, place);
  CREATE INDEX chats_of_many ON chats (kind, pinned, last_at, place) WHERE kind <> 'direct';
  CREATE INDEX chats_archived ON chats (pinned, last_at, place) WHERE archived = 1;
  CREATE VIRTUAL TABLE chat_names USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'trigram remove_diacritics 1');
  CREATE TRIGGER chat_created AFTER INSERT ON chats BEGIN
    INSERT INTO chat_names (rowid, text) VALUES (NEW.no, concat_ws(' ', NEW.name, substr(NEW.chat_id, 1, instr(NEW.chat_id, '@') - 1)));
  END;
  CREATE TRIGGER chat_renamed AFTER UPDATE OF name, chat_id ON chats WHEN NEW.name IS NOT OLD.name OR NEW.chat_id <> OLD.chat_id BEGIN
    INSERT OR REPLACE INTO chat_names (rowid, text) VALUES (NEW.no, concat_ws(' ', NEW.name, substr(NEW.chat_id, 1, instr(NEW.chat_id, '@') - 1)));
  END;
  CREATE TRIGGER chat_removed AFTER DELETE ON chats BEGIN DELETE FROM chat_names WHERE rowid = OLD.no; END;
  CREATE TABLE unread_chats (no INTEGER PRIMARY KEY);
  CREATE TRIGGER chat_created_unread AFTER INSERT ON chats WHEN NEW.unread_count > 0 OR NEW.marked_unread = 1 BEGIN
    INSERT INTO unread_chats (no) VALUES (NEW.no);
  END;
  CREATE TRIGGER chat_unread AFTER UPDATE OF unread_count, marked_unread ON chats
    WHEN (NEW.unread_count > 0 OR NEW.marked_unread = 1) AND NOT (OLD.unread_count > 0 OR OLD.marked_unread = 1) BEGIN
    INSERT INTO unread_chats (no) VALUES (NEW.no);
  END;
  CREATE TRIGGER chat_read AFTER UPDATE OF unread_count, marked_unread ON chats
    WHEN NOT (NEW.unread_count > 0 OR NEW.marked_unread = 1) AND (OLD.unread_count > 0 OR OLD.marked_unread = 1) BEGIN
    DELETE FROM unread_chats WHERE no = NEW.no;
  END;
  CREATE TRIGGER chat_removed_unread AFTER DELETE ON chats WHEN OLD.unread_count > 0 OR OLD.marked_unread = 1 BEGIN
    DELETE FROM unread_chats WHERE no = OLD.no;
  END;`;

export type ChatChange = Omit<Extract<NetworkEvent, { type: "chat.updated" }>, "type">;

/** The first occurrence of a message in its chat, with its `no` and `timestamp` (Unix seconds). `unread` is added to the counter. */
export type ChatArrival = { chatId: ChatId; no: number; timestamp: number; unread: 0 | 1 };

export class Chats {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  isKnown(chatId: ChatId): boolean {
    return this.#sql.exec("SELECT 1 FROM chats WHERE chat_id = ?", chatId).toArray().length > 0;
  }

  mostRecent(limit: number): ChatId[] {
    return this.#sql
      .exec<{ chat_id: ChatId }>(
        "SELECT chat_id FROM chats INDEXED BY chats_in_order ORDER BY pinned DESC, last_at DESC, place DESC LIMIT ?",
        limit,
      )
      .toArray()
      .map(({ chat_id }) => chat_id);
  }

  disappearingSeconds(chatId: ChatId): number {
    const query = "SELECT disappearing_seconds AS seconds FROM chats WHERE chat_id = ?";
    return this.#sql.exec<{ seconds: number }>(query, chatId).toArray()[0]?.seconds ?? 0;
  }

  pinnedCountExcept(chatId: ChatId): number {
    // Reads only the end of this index, which holds the pinned chats.
    return countRows(this.#sql, "chats INDEXED BY chats_in_order WHERE pinned = 1 AND chat_id <> ?", chatId);
  }

  /** Creates the chat if needed. Its last message is the newest by time, which is not always the last to arrive. `now` is in Unix ms. */
  messageArrived({ chatId, no, timestamp, unread }: ChatArrival, now: number): void {
    this.#sql.exec(
      `INSERT INTO chats (chat_id, kind, name, unread_count, last_no, last_at, updated_at)
       VALUES (?1, ?2, COALESCE((SELECT subject FROM groups WHERE group_id = ?1), (SELECT name FROM channels WHERE channel_id = ?1)), ?3, ?4, ?5, ?6)
       ON CONFLICT (chat_id) DO UPDATE SET
         unread_count = unread_count + excluded.unread_count,
         last_no = CASE WHEN excluded.last_at >= last_at THEN excluded.last_no ELSE last_no END,
         last_at = max(last_at, excluded.last_at), updated_at = excluded.updated_at`,
      chatId,
      chatKind(chatId),
      unread,
      no,
      timestamp,
      now,
    );
  }

  create(chatId: ChatId, at: number, now: number): void {
    this.#sql.exec(
      `INSERT OR IGNORE INTO chats (chat_id, kind, name, last_at, updated_at)
       VALUES (?1, ?2, COALESCE((SELECT subject FROM groups WHERE group_id = ?1), (SELECT name FROM channels WHERE channel_id = ?1)), ?3, ?4)`,
      chatId,
      chatKind(chatId),
      at,
      now,
    );
  }

  /** Changes only the given fields. Creates an unknown chat, because it exists on the owner's device. */
  change(change: ChatChange, now: number): void {
    this.create(change.chat_id, change.timestamp ?? 0, now);
    const flag = (value: boolean | undefined): number | null => (value === undefined ? null : Number(value));
    this.#sql.exec(
      `UPDATE chats SET unread_count = COALESCE(?2, unread_count), marked_unread = COALESCE(?3, marked_unread), archived = COALESCE(?4, archived),
         pinned = COALESCE(?5, pinned), muted_until = CASE WHEN ?6 THEN ?7 ELSE muted_until END,
         disappearing_seconds = COALESCE(?8, disappearing_seconds), updated_at = ?9 WHERE chat_id = ?1`,
      change.chat_id,
      change.unread_count ?? null,
      flag(change.marked_unread),
      flag(change.archived),
      flag(change.pinned),
      change.muted_until === undefined ? 0 : 1,
      change.muted_until ?? null,
      change.disappearing_seconds ?? null,
      now,
    );
    if (change.name !== undefined) this.rename(change.chat_id, change.name);
  }

  rename(chatId: ChatId, name: string | null): void {
    this.#sql.exec("UPDATE chats SET name = ?2 WHERE chat_id = ?1 AND name IS NOT ?2", chatId, name);
  }

  markSeen(chatId: ChatId): void {
    this.#sql.exec(
      "UPDATE chats SET unread_count = 0, marked_unread = 0 WHERE chat_id = ? AND (unread_count > 0 OR marked_unread = 1)",
      chatId,
    );
  }

  setPicture(chatId: ChatId, picture: StoredMedia | null): void {
    this.#sql.exec("UPDATE chats SET picture = ? WHERE chat_id = ?", picture === null ? null : JSON.stringify(picture), chatId);
  }

  clear(chatId: ChatId): void {
    this.#sql.exec("UPDATE chats SET last_no = NULL, unread_count = 0, marked_unread = 0 WHERE chat_id = ?", chatId);
  }

  refreshLastMessage(chatId: ChatId): void {
    this.#sql.exec(
      `UPDATE chats SET last_no = (SELECT m.no FROM messages m WHERE m.chat_id = ?1 ORDER BY m.timestamp DESC, m.place DESC LIMIT 1)
       WHERE chat_id = ?1 AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.no = chats.last_no)`,
      chatId,
    );
  }

  limitUnread(chatId: ChatId): void {
    this.#sql.exec(
      `UPDATE chats SET unread_count = min(unread_count, (SELECT count(*) FROM messages INDEXED BY messages_of_chat WHERE chat_id = ?1 AND from_me = 0))
       WHERE chat_id = ?1`,
      chatId,
    );
  }

  remove(chatId: ChatId): void {
    this.#sql.exec("DELETE FROM chats WHERE chat_id = ?", chatId);
  }
}
