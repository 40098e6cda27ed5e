// Queries for chats. Pages list pinned chats first, and then the chats with the newest messages.
import { encodeCursor } from "@gateway/domain/cursor.ts";
import * as z from "zod";
import { type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { type ChatId, personOf } from "@gateway/protocol/ids.ts";
import { StoredMedia } from "@gateway/protocol/message.ts";
import type { OperationInput } from "@gateway/protocol/operations.ts";
import type { ChatRecord } from "@gateway/protocol/records.ts";
import type { Lids } from "../contacts/lids.ts";
import { Conditions, nameMatch, PAGE_LIMIT, type Page, type PageKey, pageOf, MAX_ROWS_SCANNED, startOf } from "../store/pagination.ts";
import { countRows } from "../../shared/read-number.ts";

export type ChatsQuery = OperationInput<"chats.list">;

const TOP: PageKey = [1, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
/** Truncates a text that a sender chose, because a page contains many of them. */
const cut = (text: string): string => `substr(${text}, 1, 200)`;
/** Up to this many unread chats are sorted for a page. With more unread chats, an ordered scan finds enough of them quickly. */
const MAX_CHATS_SORTED = 1_000;

// In order of precedence: the contact's saved name, the network's name for the chat, and the person's own display name.
const NAME = "COALESCE(k.name, c.name, k.push_name, k.verified_name)";

const CHAT = `SELECT c.no, c.chat_id, c.kind, ${NAME} AS name, k.lid, c.unread_count, c.marked_unread, c.archived, c.pinned, c.muted_until,
    c.disappearing_seconds, COALESCE(c.picture, k.picture) AS picture, c.last_at, c.updated_at,
    (SELECT json_group_array(a.label_id) FROM label_chats a WHERE a.chat_id = c.chat_id) AS label_ids,
    m.message_id, m.from_me, m.type, ${cut("m.text")} AS text, m.timestamp, ${cut("m.push_name")} AS push_name,
    ${cut("m.media ->> 'filename'")} AS filename, m.deleted_at`;
const JOINED = "LEFT JOIN contacts k ON k.contact_id = c.chat_id LEFT JOIN messages m ON m.no = c.last_no";

type ChatRow = {
  no: number;
  chat_id: string;
  kind: string;
  name: string | null;
  lid: string | null;
  unread_count: number;
  marked_unread: number;
  archived: number;
  pinned: number;
  muted_until: number | null;
  disappearing_seconds: number;
  picture: string | null;
  last_at: number;
  updated_at: number;
  label_ids: string;
  message_id: string | null;
  from_me: number | null;
  type: string | null;
  text: string | null;
  push_name: string | null;
  filename: string | null;
  deleted_at: number | null;
  timestamp: number | null;
};

/** Describes a scan: an index or a set selects rows of `chats`, and the filters are applied to each row. */
type Walk = { from: string; range: Conditions; filters: Conditions };

export class ChatQueries {
  readonly #sql: SqlStorage;
  readonly #lids: Lids;

  constructor(sql: SqlStorage, lids: Lids) {
    this.#sql = sql;
    this.#lids = lids;
  }

  get(chatId: ChatId): ChatRecord | null {
    const row = this.#sql.exec<ChatRow>(`${CHAT} FROM chats c ${JOINED} WHERE c.chat_id = ?`, this.#lids.chat(chatId)).toArray()[0];
    return row === undefined ? null : chatRecordOf(row);
  }

  list(query: ChatsQuery): Outcome<Page<ChatRecord>> {
    const start = startOf(query.cursor, TOP);
    if (!start.ok) return start;
    const few = query.unread === true && this.#hasFewUnread();
    return succeed(this.#page(walkFor(query, few), start.value, query.limit));
  }

  #hasFewUnread(): boolean {
    return countRows(this.#sql, "(SELECT 1 FROM unread_chats LIMIT ?) w", MAX_CHATS_SORTED + 1) <= MAX_CHATS_SORTED;
  }

  #page(walk: Walk, start: PageKey, limit: number): Page<ChatRecord> {
    const { range, filters } = walk;
    const rows = this.#sql.exec<ChatRow>(
      `${CHAT} FROM (${keysOf(walk)} ${PAGE_LIMIT}) w JOIN chats c ON c.no = w.place ${JOINED}
         WHERE ${filters.sql} ORDER BY w.pinned DESC, w.last_at DESC, w.place DESC ${PAGE_LIMIT}`,
      ...range.bindings,
      ...start,
      filters.isEmpty ? limit + 1 : MAX_ROWS_SCANNED,
      ...filters.bindings,
      limit + 1,
    );
    const page = pageOf(rows, limit, (row) => [row.pinned, row.last_at, row.no], chatRecordOf);
    if (page.next_cursor !== null || filters.isEmpty) return page;
    return { ...page, next_cursor: this.#cursorAfterScan(walk, start) };
  }

  /** The cursor after the last scanned row, if the scan limit ended the page early. */
  #cursorAfterScan(walk: Walk, start: PageKey): string | null {
    const last = this.#sql
      .exec<{ pinned: number; last_at: number; place: number }>(
        `${keysOf(walk)} LIMIT 1 OFFSET ?`,
        ...walk.range.bindings,
        ...start,
        MAX_ROWS_SCANNED - 1,
      )
      .toArray()[0];
    return last === undefined ? null : encodeCursor([last.pinned, last.last_at, last.place]);
  }
}

function keysOf({ from, range }: Walk): string {
  return `SELECT pinned, last_at, place FROM ${from} WHERE ${range.sql} AND (pinned, last_at, place) < (?, ?, ?) ORDER BY pinned DESC, last_at DESC, place DESC`;
}

/** The most selective conditions pick the rows to scan. Without any, an ordered index scan fills the page quickly. */
function walkFor(query: ChatsQuery, hasFewUnread: boolean): Walk {
  const found = query.q === null ? null : nameMatch(query.q);
  const filters = new Conditions();
  if (query.q && found === null) filters.addPart(query.q, `concat_ws(' ', ${NAME}, substr(c.chat_id, 1, instr(c.chat_id, '@') - 1))`);

  const sets = new Conditions();
  if (query.label_id !== null)
    sets.add("no IN (SELECT s.no FROM label_chats a JOIN chats s ON s.chat_id = a.chat_id WHERE a.label_id = ?)", query.label_id);
  if (found !== null) {
    sets.add(
      `no IN (SELECT n.rowid FROM chat_names n WHERE n.text MATCH ?
         UNION SELECT s.no FROM contact_names n JOIN contacts k ON k.no = n.rowid JOIN chats s ON s.chat_id = k.contact_id WHERE n.text MATCH ?)`,
      found,
      found,
    );
  }
  if (hasFewUnread) sets.add("no IN (SELECT no FROM unread_chats)");
  const { from, range, answers } = sets.isEmpty ? indexFor(query) : { from: "chats NOT INDEXED", range: sets, answers: null };
  if (answers !== "archived") filters.addIf(query.archived, "c.archived = ?");
  if (!hasFewUnread) filters.addIf(query.unread, "(c.unread_count > 0 OR c.marked_unread = 1) = ?");
  if (answers !== "kind") filters.addIf(query.kind, "c.kind = ?");
  return { from, range, filters };
}

type Index = { from: string; range: Conditions; answers: "archived" | "kind" | null };

function indexFor({ archived, kind }: ChatsQuery): Index {
  if (archived === true)
    return { from: "chats INDEXED BY chats_archived", range: new Conditions().add("archived = 1"), answers: "archived" };
  if (kind === "group" || kind === "channel") {
    return {
      from: "chats INDEXED BY chats_of_many",
      range: new Conditions().add("kind <> 'direct'").add("kind = ?", kind),
      answers: "kind",
    };
  }
  return { from: "chats INDEXED BY chats_in_order", range: new Conditions(), answers: null };
}

const ListedKind = z.enum(["direct", "group", "channel", "status"]);
const LabelIds = z.array(z.string());

function chatRecordOf(row: ChatRow): ChatRecord {
  const person = personOf(row.chat_id);
  return {
    chat_id: row.chat_id,
    kind: ListedKind.parse(row.kind),
    name: row.name,
    person: person === null ? null : { phone: person.phone, lid: person.lid ?? row.lid },
    unread_count: row.unread_count,
    marked_unread: row.marked_unread === 1,
    archived: row.archived === 1,
    pinned: row.pinned === 1,
    muted_until: row.muted_until,
    disappearing_seconds: row.disappearing_seconds,
    label_ids: row.label_ids === "[]" ? [] : LabelIds.parse(JSON.parse(row.label_ids)),
    picture: row.picture === null ? null : StoredMedia.parse(JSON.parse(row.picture)),
    last_message: lastMessageOf(row),
    updated_at: row.updated_at,
  };
}

function lastMessageOf({
  message_id,
  from_me,
  push_name,
  type,
  text,
  filename,
  deleted_at,
  timestamp,
}: ChatRow): ChatRecord["last_message"] {
  if (message_id === null || type === null || timestamp === null) return null;
  return { message_id, from_me: from_me === 1, push_name, type, text, filename, deleted: deleted_at !== null, timestamp };
}
