// Message writes and look-ups; API queries are in message-queries.ts.
import type { SentStatus } from "@gateway/domain/messages/message-status.ts";
import type { MessageRange } from "@gateway/protocol/commands.ts";
import { type ChatId, chatKind, type Person, personOf } from "@gateway/protocol/ids.ts";
import type { NetworkMessage, StoredMedia } from "@gateway/protocol/message.ts";
import {
  STORED_MESSAGE_COLUMNS,
  storedMessageOf,
  type StoredMessage,
  type StoredMessageRow,
  detailsOf,
  type Own,
} from "./message-record.ts";
import { type Lids, personIn, phoneOf } from "../contacts/lids.ts";
import type { OwnMessage } from "./own-messages.ts";
import { DAY_SECONDS } from "@gateway/protocol/units.ts";

export const MESSAGE_SCHEMA = `
  CREATE TABLE messages (
    no INTEGER PRIMARY KEY,
    message_id TEXT NOT NULL, chat_id TEXT NOT NULL, from_me INTEGER NOT NULL,
    sender_phone TEXT, sender_lid TEXT, push_name TEXT,
    timestamp INTEGER NOT NULL, type TEXT NOT NULL, text TEXT, media TEXT, details TEXT,
    announced INTEGER NOT NULL,
    status TEXT, failure TEXT, source TEXT, reference TEXT,
    starred INTEGER NOT NULL DEFAULT 0,
    edited_at INTEGER, deleted_at INTEGER,
    accepted_at INTEGER, delivered_at INTEGER, read_at INTEGER, played_at INTEGER,
    raw TEXT,
    place INTEGER GENERATED ALWAYS AS (no) VIRTUAL
  );
  CREATE UNIQUE INDEX messages_identity ON messages (message_id, chat_id, from_me);
  CREATE INDEX messages_of_chat ON messages (chat_id, timestamp, place);
  CREATE INDEX messages_of_side ON messages (from_me, timestamp, place);
  CREATE INDEX messages_of_reference ON messages (reference, timestamp, place) WHERE reference IS NOT NULL;
  CREATE INDEX messages_unsent ON messages (status, timestamp, place) WHERE status IN ('pending', 'failed');
  CREATE TABLE removed_messages (
    no INTEGER PRIMARY KEY, message_id TEXT NOT NULL, chat_id TEXT NOT NULL, from_me INTEGER NOT NULL, removed_at INTEGER NOT NULL
  );
  CREATE UNIQUE INDEX removed_messages_identity ON removed_messages (chat_id, message_id, from_me);`;

const RANGE_MAX_MESSAGES = 50;

/** A longer encoding is not stored, because a row holds at most 2 MB. Such a message cannot be quoted or forwarded. */
const MAX_RAW_CHARS = 1_500_000;

// Stores a message that is new, arrives live after the history, or had no content because it could not be decrypted. Skips messages that
// the owner removed, and those that have the id of another person's message. `announced` ensures a single webhook (docs/use/events.md,
// "Duplicates, placeholders and history").
const STORE_MESSAGE = `
  INSERT INTO messages (message_id, chat_id, from_me, sender_phone, sender_lid, push_name, timestamp, type, text, media, details, raw,
    announced, status, failure, source, reference, accepted_at)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18
  WHERE NOT EXISTS (SELECT 1 FROM removed_messages WHERE chat_id = ?2 AND message_id = ?1 AND from_me = ?3)
  ON CONFLICT (message_id, chat_id, from_me) DO UPDATE SET
    announced = messages.announced + excluded.announced, type = excluded.type, media = excluded.media, details = excluded.details,
    text = CASE WHEN edited_at IS NULL THEN excluded.text ELSE text END, raw = excluded.raw
  WHERE messages.deleted_at IS NULL
    AND (messages.from_me = 1 OR messages.sender_lid = excluded.sender_lid
      OR ${phoneOf("messages", "sender_phone", "sender_lid")} = excluded.sender_phone
      OR COALESCE(messages.sender_phone, messages.sender_lid, excluded.sender_phone, excluded.sender_lid) IS NULL)
    AND ((messages.announced = 0 AND excluded.announced = 1) OR (messages.type = 'undecrypted' AND messages.raw IS NULL AND excluded.raw IS NOT NULL))
  RETURNING no, announced, EXISTS (SELECT 1 FROM out_of_order WHERE chat_id = ?2 AND message_id = ?1) AS out_of_order`;

/** `announcedBefore` means that the message was announced without content, `hasOutOfOrder` that events about it arrived before it. */
export type StoreResult = { no: number; announcedBefore: boolean; hasOutOfOrder: boolean };

export const MESSAGE_TABLES: readonly string[] = ["messages", "reactions", "votes", "receipts", "label_messages"];

/** SQL that deletes the table's rows about messages that are not stored. */
export const deletionOfOrphans = (table: string, where: string): string =>
  `DELETE FROM ${table} AS t WHERE ${where} AND NOT EXISTS
     (SELECT 1 FROM messages m WHERE m.message_id = t.message_id AND m.chat_id = t.chat_id)`;

export class Messages {
  readonly #sql: SqlStorage;
  readonly #lids: Lids;

  constructor(sql: SqlStorage, lids: Lids) {
    this.#sql = sql;
    this.#lids = lids;
  }

  /** Stores the message. Null if nothing changed. `acceptedAt` is when the network accepted one of our messages (Unix ms). */
  store(message: NetworkMessage, announced: boolean, own: Own, acceptedAt: number | null): StoreResult | null {
    const row = this.#sql
      .exec<{ no: number; announced: number; out_of_order: number }>(
        STORE_MESSAGE,
        message.message_id,
        message.chat_id,
        message.from_me ? 1 : 0,
        message.sender?.phone ?? null,
        message.sender?.lid ?? null,
        message.push_name,
        message.timestamp,
        message.type,
        message.text,
        message.media === null ? null : JSON.stringify(message.media),
        detailsOf(message),
        storableRaw(message.raw),
        announced ? 1 : 0,
        own.status,
        own.failure === null ? null : JSON.stringify(own.failure),
        own.source,
        own.reference,
        acceptedAt,
      )
      .toArray()[0];
    return row === undefined ? null : { no: row.no, announcedBefore: row.announced > 1, hasOutOfOrder: row.out_of_order === 1 };
  }

  /** Completes our message once it is accepted. The chat may differ from the requested one if the network resolved the phone number. */
  complete(known: OwnMessage, message: NetworkMessage, status: SentStatus, acceptedAt: number): void {
    // Sets the chat id only if it changes, because setting an indexed column is billed as a row per index even if the value is the same.
    const moved = known.chatId === message.chat_id ? "" : "chat_id = ?2, ";
    const retimed = known.timestamp === message.timestamp ? "" : "timestamp = ?3, ";
    this.#sql.exec(
      `UPDATE messages SET ${moved}${retimed}type = ?4, text = CASE WHEN edited_at IS NULL THEN ?5 ELSE text END,
         media = COALESCE(?6, media), details = COALESCE(?7, details), raw = COALESCE(?8, raw), announced = max(announced, 1),
         status = ?9, failure = NULL, accepted_at = COALESCE(accepted_at, ?10)
       WHERE no = ?1`,
      known.no,
      message.chat_id,
      message.timestamp,
      message.type,
      message.text,
      // Uploaded media keeps its link, because the network's response contains none.
      message.media === null || message.media.token === null ? null : JSON.stringify(message.media),
      detailsOf(message),
      storableRaw(message.raw),
      status,
      acceptedAt,
    );
  }

  /** Prefers our own message, then the oldest, because anybody may send another message with the same id. */
  find(messageId: string, chatId: ChatId | null): StoredMessage | null {
    const row = this.#sql
      .exec<StoredMessageRow>(
        `SELECT ${STORED_MESSAGE_COLUMNS}, m.raw FROM messages m WHERE m.message_id = ?1 AND (?2 IS NULL OR m.chat_id = ?2)
         ORDER BY m.from_me DESC, m.no LIMIT 1`,
        messageId,
        chatId,
      )
      .toArray()[0];
    return row === undefined ? null : storedMessageOf(row);
  }

  raw(chatId: ChatId, messageId: string): string | null {
    return this.find(messageId, chatId)?.raw ?? null;
  }

  lastMessages(chatId: ChatId, limit = 1): StoredMessage[] {
    return this.#sql
      .exec<StoredMessageRow>(
        `SELECT ${STORED_MESSAGE_COLUMNS}, NULL AS raw FROM messages m INDEXED BY messages_of_chat WHERE m.chat_id = ?
         ORDER BY m.timestamp DESC, m.place DESC LIMIT ?`,
        chatId,
        limit,
      )
      .toArray()
      .map(storedMessageOf);
  }

  /** The messages that a chat change must list: from the newest that the network knows back to the newest from another person. */
  range(chatId: ChatId): MessageRange {
    const newest = this.lastMessages(chatId, RANGE_MAX_MESSAGES).filter(({ status }) => status !== "pending" && status !== "failed");
    const theirs = newest.findIndex(({ ref }) => !ref.from_me);
    return (theirs < 0 ? newest : newest.slice(0, theirs + 1)).map(({ ref, timestamp }) => ({ ref, timestamp }));
  }

  oldest(chatId: ChatId): MessageRange[number] | null {
    const [row] = this.#sql
      .exec<StoredMessageRow>(
        `SELECT ${STORED_MESSAGE_COLUMNS}, NULL AS raw FROM messages m INDEXED BY messages_of_chat
         WHERE m.chat_id = ? AND (m.status IS NULL OR m.status NOT IN ('pending', 'failed')) ORDER BY m.timestamp, m.place LIMIT 1`,
        chatId,
      )
      .toArray()
      .map(storedMessageOf);
    return row === undefined ? null : { ref: row.ref, timestamp: row.timestamp };
  }

  lastReceived(chatId: ChatId, limit: number): StoredMessage[] {
    return this.#sql
      .exec<StoredMessageRow>(
        `SELECT ${STORED_MESSAGE_COLUMNS}, NULL AS raw FROM messages m INDEXED BY messages_of_chat WHERE m.chat_id = ? AND m.from_me = 0
         ORDER BY m.timestamp DESC, m.place DESC LIMIT ?`,
        chatId,
        limit,
      )
      .toArray()
      .map(storedMessageOf);
  }

  /** Adds the file if the stored message describes it. The file may belong to another message with the same id. */
  setMedia(chatId: ChatId, messageId: string, media: StoredMedia): boolean {
    const query = `UPDATE messages SET media = ?3 WHERE message_id = ?1 AND chat_id = ?2 AND deleted_at IS NULL
      AND (media ->> 'sha256' = ?4 OR (media IS NOT NULL AND media ->> 'sha256' IS NULL AND media ->> 'token' IS NULL)) RETURNING no`;
    return this.#sql.exec(query, messageId, chatId, JSON.stringify(media), media.sha256).toArray().length > 0;
  }

  /** Replaces the message's file, which was fetched again. */
  replaceMedia({ chat_id, message_id, from_me }: Omit<Target, "sender">, media: StoredMedia): boolean {
    const query =
      "UPDATE messages SET media = ?4 WHERE message_id = ?1 AND chat_id = ?2 AND from_me = ?3 AND deleted_at IS NULL RETURNING no";
    return this.#sql.exec(query, message_id, chat_id, from_me ? 1 : 0, JSON.stringify(media)).toArray().length > 0;
  }

  /** True if the message has arrived, even if it was deleted afterwards. Content that arrives later then does not wait for it. */
  hasArrived(chatId: ChatId, messageId: string): boolean {
    const query = `SELECT EXISTS (SELECT 1 FROM messages WHERE message_id = ?1 AND chat_id = ?2)
      OR EXISTS (SELECT 1 FROM removed_messages WHERE chat_id = ?2 AND message_id = ?1) AS arrived`;
    return this.#sql.exec<{ arrived: number }>(query, messageId, chatId).one().arrived === 1;
  }

  dropUnusedFile(chatId: ChatId, messageId: string, token: string): void {
    this.#sql.exec(
      `INSERT OR IGNORE INTO removed_files (token) SELECT ?3
       WHERE NOT EXISTS (SELECT 1 FROM messages WHERE message_id = ?1 AND json_extract(media, '$.token') = ?3)
         AND NOT EXISTS (SELECT 1 FROM out_of_order WHERE chat_id = ?2 AND message_id = ?1 AND kind = 'media' AND json_extract(value, '$.token') = ?3)`,
      messageId,
      chatId,
      token,
    );
  }

  star(chatId: ChatId, messageId: string, starred: boolean): boolean {
    const query = "UPDATE messages SET starred = ?3 WHERE message_id = ?1 AND chat_id = ?2 RETURNING no";
    return this.#sql.exec(query, messageId, chatId, starred ? 1 : 0).toArray().length > 0;
  }

  /** Edits the text. Only the author may edit. `outdated` means that a newer edit or a deletion stays. `at` is in Unix ms. */
  edit(target: Target, text: string, at: number): "changed" | "outdated" | "refused" | "absent" {
    const known = this.author(target);
    if (known === null) return "absent";
    const isAuthor = known.fromMe === target.from_me && this.#lids.isSame(known.sender, target.sender);
    // The network itself checks who may edit a channel's posts, and does not report the person.
    if (!isAuthor && chatKind(target.chat_id) !== "channel") return "refused";
    const query = `UPDATE messages SET text = ?2, edited_at = ?3
      WHERE no = ?1 AND deleted_at IS NULL AND COALESCE(edited_at, 0) <= ?3 RETURNING no`;
    return this.#sql.exec(query, known.no, text, at).toArray().length > 0 ? "changed" : "outdated";
  }

  /** Deletes the message for everyone. The row stays, but its content is removed. `at` in Unix ms. */
  erase(target: Pick<Target, "chat_id" | "message_id" | "from_me">, at: number): boolean {
    const query = `UPDATE messages SET text = NULL, media = NULL, details = NULL, raw = NULL, deleted_at = COALESCE(deleted_at, ?4)
      WHERE message_id = ?1 AND chat_id = ?2 AND from_me = ?3 RETURNING no`;
    return this.#sql.exec(query, target.message_id, target.chat_id, target.from_me ? 1 : 0, at).toArray().length > 0;
  }

  remove(chatId: ChatId, messageId: string, now: number): void {
    this.#storeRemovedIds("message_id = ?2 AND chat_id = ?3", now, messageId, chatId);
    for (const table of MESSAGE_TABLES) this.#sql.exec(`DELETE FROM ${table} WHERE message_id = ? AND chat_id = ?`, messageId, chatId);
  }

  /** Removes all messages of the chat. Keeps the ids of recent ones, so that a redelivery does not restore them. */
  removeAll(chatId: ChatId, now: number): void {
    this.#storeRemovedIds("chat_id = ?2 AND timestamp > ?3", now, chatId, Math.floor(now / 1000) - REMOVED_IDS_RETENTION_SECONDS);
    for (const table of MESSAGE_TABLES) this.#sql.exec(`DELETE FROM ${table} WHERE chat_id = ?`, chatId);
  }

  /** True if the chat has messages newer than `through` (Unix seconds). Failed ones are excluded, because others never saw them. */
  hasNewer(chatId: ChatId, through: number): boolean {
    const query = `SELECT 1 FROM messages INDEXED BY messages_of_chat
      WHERE chat_id = ? AND timestamp > ? AND (status IS NULL OR status <> 'failed') LIMIT 1`;
    return this.#sql.exec(query, chatId, through).toArray().length > 0;
  }

  removeThrough(chatId: ChatId, through: number, now: number): void {
    const since = Math.floor(now / 1000) - REMOVED_IDS_RETENTION_SECONDS;
    this.#storeRemovedIds("chat_id = ?2 AND timestamp > ?3 AND timestamp <= ?4", now, chatId, since, through);
    this.#sql.exec("DELETE FROM messages WHERE chat_id = ? AND timestamp <= ?", chatId, through);
    for (const table of MESSAGE_TABLES.filter((name) => name !== "messages"))
      this.#sql.exec(deletionOfOrphans(table, "chat_id = ?"), chatId);
  }

  #storeRemovedIds(which: string, now: number, ...bindings: SqlStorageValue[]): void {
    this.#sql.exec(
      `INSERT OR IGNORE INTO removed_messages (message_id, chat_id, from_me, removed_at)
       SELECT message_id, chat_id, from_me, ?1 FROM messages WHERE ${which}`,
      now,
      ...bindings,
    );
  }

  /** The stored message's author. A change may have the wrong `from_me`, so if only the other side's message exists, that one counts. */
  author({ message_id, chat_id, from_me }: Omit<Target, "sender">): Author | null {
    const row = this.#sql
      .exec<AuthorRow>(
        `SELECT no, from_me, sender_phone, sender_lid FROM messages WHERE message_id = ? AND chat_id = ? ORDER BY from_me = ? DESC LIMIT 1`,
        message_id,
        chat_id,
        from_me ? 1 : 0,
      )
      .toArray()[0];
    if (row === undefined) return null;
    const sender = row.from_me === 1 ? null : this.#lids.person(personIn(row.sender_phone, row.sender_lid) ?? personOf(chat_id));
    return { no: row.no, fromMe: row.from_me === 1, sender };
  }
}

const REMOVED_IDS_RETENTION_SECONDS = 8 * DAY_SECONDS;

export type Target = { chat_id: ChatId; message_id: string; from_me: boolean; sender: Person | null };
/** `sender` is null for our own messages. */
type Author = { no: number; fromMe: boolean; sender: Person | null };
type AuthorRow = { no: number; from_me: number; sender_phone: string | null; sender_lid: string | null };

function storableRaw(raw: string | null): string | null {
  return raw !== null && raw.length > MAX_RAW_CHARS ? null : raw;
}
