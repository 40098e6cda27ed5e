import { encodeCursor } from "@gateway/domain/cursor.ts";
import { type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { type ChatId, chatKind } from "@gateway/protocol/ids.ts";
import type { OperationInput } from "@gateway/protocol/operations.ts";
import type { MessageRecord } from "@gateway/protocol/records.ts";
import type { Lids } from "../contacts/lids.ts";
import { MESSAGE_COLUMNS, type MessageRow, messageRecordOf } from "./message-record.ts";
import { Conditions, PAGE_LIMIT, type Page, type PageKey, pageOf, MAX_ROWS_SCANNED, startOf } from "../store/pagination.ts";
import type { OwnMessages } from "./own-messages.ts";
import { readNumber } from "../../shared/read-number.ts";

export type MessagesQuery = OperationInput<"messages.list">;

/** Sorts before every message. This is the largest integer that both SQL and JavaScript represent exactly. */
const NEWEST: PageKey = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

/** A scan through one index: its ranges are merged by time, and the filters apply to each row. */
type Walk = { index: string; ranges: readonly Conditions[]; filters: Conditions };

export class MessageQueries {
  readonly #sql: SqlStorage;
  readonly #lids: Lids;
  readonly #progress: OwnMessages;

  constructor(sql: SqlStorage, lids: Lids, progress: OwnMessages) {
    this.#sql = sql;
    this.#lids = lids;
    this.#progress = progress;
  }

  /** Returns the message and, in groups, its receipts. If `chatId` is null, searches all chats, as `Messages.find` does. */
  get(messageId: string, chatId: ChatId | null): MessageRecord | null {
    const row = this.#sql
      .exec<MessageRow>(
        `SELECT ${MESSAGE_COLUMNS} FROM messages m WHERE m.message_id = ?1 AND (?2 IS NULL OR m.chat_id = ?2)
         ORDER BY m.from_me DESC, m.no LIMIT 1`,
        messageId,
        chatId === null ? null : this.#lids.chat(chatId),
      )
      .toArray()[0];
    if (row === undefined) return null;
    const record = messageRecordOf(row);
    if (!record.from_me || chatKind(record.chat_id) !== "group") return record;
    return { ...record, receipts: this.#progress.receipts(record.chat_id, messageId) };
  }

  numbered(no: number): MessageRecord | null {
    const row = this.#sql.exec<MessageRow>(`SELECT ${MESSAGE_COLUMNS} FROM messages m WHERE m.no = ?`, no).toArray()[0];
    return row === undefined ? null : messageRecordOf(row);
  }

  /** Without a chat, lists messages sent from this number, unless `from_me` says otherwise. */
  list(query: MessagesQuery): Outcome<Page<MessageRecord>> {
    const start = startOf(query.cursor, NEWEST);
    if (!start.ok) return start;
    const chatId = query.chat_id === null ? null : this.#lids.chat(query.chat_id);
    return succeed(this.#page(walkFor(query, chatId), notAfter(start.value, query.before), query.limit));
  }

  hasReceived(chatId: ChatId, since: number): boolean {
    const query = "SELECT 1 FROM messages INDEXED BY messages_of_chat WHERE chat_id = ? AND timestamp > ? AND from_me = 0 LIMIT 1";
    return this.#sql.exec(query, chatId, Math.floor(since / 1000)).toArray().length > 0;
  }

  lastReceivedAt(): number | null {
    const at = readNumber(this.#sql, "SELECT MAX(timestamp) FROM messages WHERE from_me = 0");
    return at === null ? null : at * 1000;
  }

  #page(walk: Walk, start: PageKey, limit: number): Page<MessageRecord> {
    const { filters } = walk;
    const rows = this.#sql.exec<MessageRow>(
      `SELECT ${MESSAGE_COLUMNS} FROM (${keysOf(walk)} ${PAGE_LIMIT}) k JOIN messages m ON m.no = k.place
         WHERE ${filters.sql} ORDER BY k.timestamp DESC, k.place DESC ${PAGE_LIMIT}`,
      ...keyBindings(walk, start),
      filters.isEmpty ? limit + 1 : MAX_ROWS_SCANNED,
      ...filters.bindings,
      limit + 1,
    );
    const page = pageOf(rows, limit, (row) => [row.timestamp, row.no], messageRecordOf);
    if (page.next_cursor !== null || filters.isEmpty) return page;
    return { ...page, next_cursor: this.#cursorAfterScan(walk, start) };
  }

  /** The cursor after the last scanned row, if the scan limit ended the page early. */
  #cursorAfterScan(walk: Walk, start: PageKey): string | null {
    const last = this.#sql
      .exec<{ timestamp: number; place: number }>(`${keysOf(walk)} LIMIT 1 OFFSET ?`, ...keyBindings(walk, start), MAX_ROWS_SCANNED - 1)
      .toArray()[0];
    return last === undefined ? null : encodeCursor([last.timestamp, last.place]);
  }
}

function notAfter(start: PageKey, before: number | null): PageKey {
  return before !== null && before <= Number(start[0]) ? [before, 0] : start;
}

function keysOf({ index, ranges }: Walk): string {
  const parts = ranges.map(
    ({ sql }) => `SELECT timestamp, place FROM messages INDEXED BY ${index} WHERE ${sql} AND (timestamp, place) < (?, ?)`,
  );
  return `${parts.join(" UNION ALL ")} ORDER BY timestamp DESC, place DESC`;
}

function keyBindings({ ranges }: Walk, start: PageKey): SqlStorageValue[] {
  return ranges.flatMap(({ bindings }) => [...bindings, ...start]);
}

function walkFor(query: MessagesQuery, chatId: ChatId | null): Walk {
  const filters = new Conditions().addIf(query.type, "m.type = ?");
  if (query.q) filters.addPart(query.q, "m.text");
  if (query.only === "files") filters.add("m.media IS NOT NULL AND m.type <> 'sticker' AND m.deleted_at IS NULL");
  if (query.only === "starred") filters.add("m.starred = 1");
  const walk = (index: string, ...ranges: readonly Conditions[]): Walk => ({
    index,
    ranges: ranges.map((range) => range.addIf(query.after, "timestamp > ?")),
    filters,
  });
  if (query.reference !== null) {
    filters.addIf(chatId, "m.chat_id = ?").addIf(query.status, "m.status = ?").addIf(query.from_me, "m.from_me = ?");
    return walk("messages_of_reference", new Conditions().add("reference = ?", query.reference));
  }
  if (chatId !== null) {
    filters.addIf(query.from_me, "m.from_me = ?").addIf(query.status, "m.status = ?");
    return walk("messages_of_chat", new Conditions().add("chat_id = ?", chatId));
  }
  const side = (fromMe: boolean) => new Conditions().add("from_me = ?", Number(fromMe));
  if (query.both_sides === true && query.from_me === null) {
    filters.addIf(query.status, "m.status = ?");
    return walk("messages_of_side", side(true), side(false));
  }
  const fromMe = query.from_me ?? true;
  if (fromMe && (query.status === "pending" || query.status === "failed")) {
    return walk("messages_unsent", new Conditions().add("status IN ('pending', 'failed')").add("status = ?", query.status));
  }
  filters.addIf(query.status, "m.status = ?");
  return walk("messages_of_side", side(fromMe));
}
