// Merges the chats and contacts of a LID and its phone number once the number is known.
import type { ChatId } from "@gateway/protocol/ids.ts";

/** Tables in which only the chat id changes. If two rows are duplicates, the row under the phone number stays. */
const DEPENDENT_TABLES = [
  "reactions",
  "votes",
  "receipts",
  "out_of_order",
  "label_chats",
  "label_messages",
  "presences",
  "presence_subscriptions",
  "removed_messages",
];

const hasRow = (table: string, column = "chat_id"): string => `EXISTS (SELECT 1 FROM ${table} WHERE ${column} = ?1)`;

const FROM_LID = `SELECT ${hasRow("chats")} AS chat, ${hasRow("messages")} AS messages, ${hasRow("contacts", "contact_id")} AS contact,
  ${hasRow("participants", "who")} AS member, ${[...DEPENDENT_TABLES, "calls"].map((table) => hasRow(table)).join(" OR ")} AS other`;

type LidTables = { chat: number; messages: number; contact: number; member: number; other: number };

/** `contact` is true if a contact that was known only by LID got a phone number that no other contact had. */
export type MergeResult = { contact: boolean };

/** Moves everything stored under `<lid>@lid` to `<phone>@c.us`. Costs one look-up if there is nothing to move. */
export function mergeIdentities(sql: SqlStorage, lid: string, phone: string): MergeResult {
  const from = `${lid}@lid`;
  const to = `${phone}@c.us`;
  const found = sql.exec<LidTables>(FROM_LID, from).one();
  if (found.messages === 1) mergeMessages(sql, from, to);
  if (found.chat === 1) mergeChats(sql, from, to);
  if (found.messages === 1 || found.chat === 1 || found.other === 1) moveDependents(sql, from, to);
  if (found.member === 1) {
    sql.exec("UPDATE OR REPLACE participants SET who = ?, phone = ? WHERE who = ?", to, phone, from);
  }
  return { contact: found.contact === 1 && mergeContacts(sql, from, to, phone) };
}

function mergeMessages(sql: SqlStorage, from: ChatId, to: ChatId): void {
  // If a message is stored under both ids, the row under the phone number is kept and not announced again.
  sql.exec(
    `UPDATE messages SET announced = 1 WHERE chat_id = ?2 AND announced = 0 AND EXISTS
       (SELECT 1 FROM messages twin WHERE twin.message_id = messages.message_id AND twin.chat_id = ?1 AND twin.from_me = messages.from_me AND twin.announced > 0)`,
    from,
    to,
  );
  sql.exec("UPDATE OR IGNORE messages SET chat_id = ? WHERE chat_id = ?", to, from);
  sql.exec("DELETE FROM messages WHERE chat_id = ?", from);
}

function mergeChats(sql: SqlStorage, from: ChatId, to: ChatId): void {
  const moved = sql.exec("UPDATE OR IGNORE chats SET chat_id = ? WHERE chat_id = ? RETURNING no", to, from).toArray().length > 0;
  if (moved) return;
  sql.exec(
    `UPDATE chats SET
       name = COALESCE(chats.name, other.name), unread_count = chats.unread_count + other.unread_count,
       marked_unread = max(chats.marked_unread, other.marked_unread), archived = min(chats.archived, other.archived),
       pinned = max(chats.pinned, other.pinned), muted_until = COALESCE(chats.muted_until, other.muted_until),
       disappearing_seconds = max(chats.disappearing_seconds, other.disappearing_seconds), picture = COALESCE(chats.picture, other.picture),
       last_no = (SELECT m.no FROM messages m WHERE m.chat_id = ?2 ORDER BY m.timestamp DESC, m.place DESC LIMIT 1),
       last_at = max(chats.last_at, other.last_at), updated_at = max(chats.updated_at, other.updated_at)
     FROM chats other WHERE chats.chat_id = ?2 AND other.chat_id = ?1`,
    from,
    to,
  );
  sql.exec("DELETE FROM chats WHERE chat_id = ?", from);
}

function moveDependents(sql: SqlStorage, from: ChatId, to: ChatId): void {
  for (const table of DEPENDENT_TABLES) {
    sql.exec(`UPDATE OR IGNORE ${table} SET chat_id = ? WHERE chat_id = ?`, to, from);
    sql.exec(`DELETE FROM ${table} WHERE chat_id = ?`, from);
  }
  sql.exec("UPDATE calls SET chat_id = ? WHERE chat_id = ?", to, from);
}

function mergeContacts(sql: SqlStorage, from: ChatId, to: ChatId, phone: string): boolean {
  const moved = sql
    .exec("UPDATE OR IGNORE contacts SET contact_id = ?, phone = ? WHERE contact_id = ? RETURNING no", to, phone, from)
    .toArray();
  if (moved.length > 0) return true;
  sql.exec(
    `UPDATE contacts SET
       lid = COALESCE(contacts.lid, other.lid), name = COALESCE(contacts.name, other.name),
       push_name = COALESCE(contacts.push_name, other.push_name), verified_name = COALESCE(contacts.verified_name, other.verified_name),
       is_saved = max(contacts.is_saved, other.is_saved), is_business = max(contacts.is_business, other.is_business),
       is_blocked = max(contacts.is_blocked, other.is_blocked), picture = COALESCE(contacts.picture, other.picture)
     FROM contacts other WHERE contacts.contact_id = ? AND other.contact_id = ?`,
    to,
    from,
  );
  sql.exec("DELETE FROM contacts WHERE contact_id = ?", from);
  return false;
}
