// A message in columns, and as the record that both APIs render.
import { z } from "zod";
import { Failure } from "../../../../src/protocol/failures.ts";
import { personOf, type Person } from "../../../../src/protocol/ids.ts";
import { NetworkMessage, NO_EXTRAS, StoredMedia } from "../../../../src/protocol/message.ts";
import type { MessageRecord } from "../../../../src/protocol/records.ts";
import { mergeByPerson, personIn, phoneOf } from "../people/person-columns.ts";

/** Fields that most messages lack and no query filters by: one JSON column, null for a plain text. */
const Details = NetworkMessage.pick({
  location: true,
  contacts: true,
  poll: true,
  selected: true,
  quoted: true,
  mentions: true,
  forwarded: true,
  view_once: true,
  background: true,
});
type Details = z.infer<typeof Details>;

/** JSON for the column `details`; null when all are empty. */
export function detailsOf(message: NetworkMessage): string | null {
  const { location, contacts, poll, selected, quoted, mentions, forwarded, view_once, background } = message;
  const plain = !location && !contacts && !poll && !selected && !quoted && mentions.length === 0 && !forwarded && !view_once;
  if (plain && background === undefined) return null;
  return JSON.stringify({ location, contacts, poll, selected, quoted, mentions, forwarded, view_once, background });
}

export function parseDetails(json: string | null): Details {
  return json === null ? NO_EXTRAS : Details.parse(JSON.parse(json));
}

/** Fields that only own messages have; all null for messages of others. */
export type Own = Pick<MessageRecord, "status" | "failure" | "source" | "reference">;
export const NOT_OWN: Own = { status: null, failure: null, source: null, reference: null };

/** The record of a message just received or sent. `acceptedAt` (Unix ms): when the network accepted an own one. */
export function freshRecord(message: NetworkMessage, own: Own, acceptedAt: number | null): MessageRecord {
  const { raw: _raw, ...shown } = message;
  return {
    ...shown,
    ...own,
    recipient: message.from_me ? personOf(message.chat_id) : null,
    starred: false,
    reactions: [],
    edited_at: null,
    deleted_at: null,
    timeline: { accepted_at: acceptedAt, delivered_at: null, read_at: null, played_at: null },
  };
}

/** A list: an object of each row takes the platform longer to make than the row to find. Only this object writes them. */
export type MessageRow = [
  no: number,
  message_id: string,
  chat_id: string,
  from_me: number,
  sender_phone: string | null,
  sender_lid: string | null,
  push_name: string | null,
  timestamp: number,
  type: string,
  text: string | null,
  media: string | null,
  details: string | null,
  status: MessageRecord["status"],
  failure: string | null,
  source: MessageRecord["source"],
  reference: string | null,
  starred: number,
  edited_at: number | null,
  deleted_at: number | null,
  accepted_at: number | null,
  delivered_at: number | null,
  read_at: number | null,
  played_at: number | null,
  reactions: string,
];

/** SQL: the columns of `MessageRow` from `messages m`. */
export const MESSAGE_COLUMNS = `m.no, m.message_id, m.chat_id, m.from_me, ${phoneOf("m", "sender_phone", "sender_lid")} AS sender_phone, m.sender_lid,
  m.push_name, m.timestamp, m.type, m.text, m.media, m.details, m.status, m.failure, m.source, m.reference, m.starred,
  m.edited_at, m.deleted_at, m.accepted_at, m.delivered_at, m.read_at, m.played_at,
  (SELECT json_group_array(json_array(${phoneOf("r")}, r.lid, r.reaction, r.timestamp)) FROM reactions r
    WHERE r.chat_id = m.chat_id AND r.message_id = m.message_id AND r.reaction <> '') AS reactions`;

/** Rows of a query for `MESSAGE_COLUMNS`. */
export function messageRows(sql: SqlStorage, query: string, ...bindings: SqlStorageValue[]): MessageRow[] {
  return [...sql.exec(query, ...bindings).raw<MessageRow>()];
}

/** Where a message is in a list of them. */
export function placeOf(row: MessageRow): [timestamp: number, no: number] {
  return [row[7], row[0]];
}

export function recordOf(row: MessageRow): MessageRecord {
  const [, message_id, chat_id, from_me, sender_phone, sender_lid, push_name, timestamp, type, text, media, details, ...own] = row;
  const [status, failure, source, reference, starred, edited_at, deleted_at, accepted_at, delivered_at, read_at, played_at, reactions] =
    own;
  const fromMe = from_me === 1;
  return {
    message_id,
    chat_id,
    from_me: fromMe,
    sender: personIn(sender_phone, sender_lid),
    recipient: fromMe ? personOf(chat_id) : null,
    push_name,
    timestamp,
    type,
    text,
    media: media === null ? null : StoredMedia.parse(JSON.parse(media)),
    ...parseDetails(details),
    status,
    failure: failure === null ? null : Failure.parse(JSON.parse(failure)),
    source,
    reference,
    starred: starred === 1,
    reactions: reactionsOf(reactions),
    edited_at,
    deleted_at,
    timeline: { accepted_at, delivered_at, read_at, played_at },
  };
}

const Reactions = z.array(z.tuple([z.string().nullable(), z.string().nullable(), z.string(), z.number().int()]));

function reactionsOf(json: string): MessageRecord["reactions"] {
  if (json === "[]") return [];
  const rows = Reactions.parse(JSON.parse(json)).map(([phone, lid, reaction, timestamp]) => ({ phone, lid, reaction, timestamp }));
  return mergeByPerson(rows, (first, second) => (second.timestamp >= first.timestamp ? second : first)).map(
    ({ phone, lid, reaction, timestamp }) => {
      const sender: Person | null = personIn(phone, lid);
      return { from_me: sender === null, sender, reaction, timestamp };
    },
  );
}
