// Converts a message between its columns and the record that both APIs render.
import * as z from "zod";
import { Failure } from "@gateway/protocol/failures.ts";
import { personOf, type Person, chatKind } from "@gateway/protocol/ids.ts";
import { NetworkMessage, NO_EXTRAS, StoredMedia } from "@gateway/protocol/message.ts";
import type { MessageRecord } from "@gateway/protocol/records.ts";
import type { MessageRef } from "@gateway/protocol/content.ts";
import { mergeByPerson, personIn, phoneOf } from "../contacts/lids.ts";

/** Fields that most messages lack and no query uses. They share one JSON column, which is null for a plain text message. */
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
  preview: true,
});
type Details = z.infer<typeof Details>;

export function detailsOf(message: NetworkMessage): string | null {
  const { location, contacts, poll, selected, quoted, mentions, forwarded, view_once, background, preview } = message;
  const plain = !location && !contacts && !poll && !selected && !quoted && mentions.length === 0 && !forwarded && !view_once;
  if (plain && background === undefined && preview === undefined) return null;
  return JSON.stringify({ location, contacts, poll, selected, quoted, mentions, forwarded, view_once, background, preview });
}

export function parseDetails(json: string | null): Details {
  return json === null ? NO_EXTRAS : Details.parse(JSON.parse(json));
}

export type Own = Pick<MessageRecord, "status" | "failure" | "source" | "reference">;
export const NOT_OWN: Own = { status: null, failure: null, source: null, reference: null };

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

export type MessageRow = {
  no: number;
  message_id: string;
  chat_id: string;
  from_me: number;
  sender_phone: string | null;
  sender_lid: string | null;
  push_name: string | null;
  timestamp: number;
  type: string;
  text: string | null;
  media: string | null;
  details: string | null;
  status: string | null;
  failure: string | null;
  source: string | null;
  reference: string | null;
  starred: number;
  edited_at: number | null;
  deleted_at: number | null;
  accepted_at: number | null;
  delivered_at: number | null;
  read_at: number | null;
  played_at: number | null;
  reactions: string;
};

export const MESSAGE_COLUMNS = `m.no, m.message_id, m.chat_id, m.from_me, ${phoneOf("m", "sender_phone", "sender_lid")} AS sender_phone, m.sender_lid,
  m.push_name, m.timestamp, m.type, m.text, m.media, m.details, m.status, m.failure, m.source, m.reference, m.starred,
  m.edited_at, m.deleted_at, m.accepted_at, m.delivered_at, m.read_at, m.played_at,
  (SELECT json_group_array(json_array(${phoneOf("r")}, r.lid, r.reaction, r.timestamp)) FROM reactions r
    WHERE r.chat_id = m.chat_id AND r.message_id = m.message_id) AS reactions`;

const StoredOwn = z.object({
  status: z.enum(["pending", "sent", "delivered", "read", "played", "failed"]).nullable(),
  source: z.enum(["api", "dashboard", "phone"]).nullable(),
});

export function messageRecordOf(row: MessageRow): MessageRecord {
  const fromMe = row.from_me === 1;
  const { status, source } = StoredOwn.parse(row);
  return {
    message_id: row.message_id,
    chat_id: row.chat_id,
    from_me: fromMe,
    sender: personIn(row.sender_phone, row.sender_lid),
    recipient: fromMe ? personOf(row.chat_id) : null,
    push_name: row.push_name,
    timestamp: row.timestamp,
    type: row.type,
    text: row.text,
    media: row.media === null ? null : StoredMedia.parse(JSON.parse(row.media)),
    ...parseDetails(row.details),
    status,
    failure: row.failure === null ? null : Failure.parse(JSON.parse(row.failure)),
    source,
    reference: row.reference,
    starred: row.starred === 1,
    reactions: reactionsOf(row.reactions),
    edited_at: row.edited_at,
    deleted_at: row.deleted_at,
    timeline: { accepted_at: row.accepted_at, delivered_at: row.delivered_at, read_at: row.read_at, played_at: row.played_at },
  };
}

const Reactions = z.array(z.tuple([z.string().nullable(), z.string().nullable(), z.string(), z.number().int()]));

function reactionsOf(json: string): MessageRecord["reactions"] {
  if (json === "[]") return [];
  const rows = Reactions.parse(JSON.parse(json)).map(([phone, lid, reaction, timestamp]) => ({ phone, lid, reaction, timestamp }));
  const newest = mergeByPerson(rows, (first, second) => (second.timestamp >= first.timestamp ? second : first));
  // Removed reactions are dropped last, because a removal may replace a reaction that is stored under the person's LID.
  return newest.flatMap(({ phone, lid, reaction, timestamp }) => {
    const sender: Person | null = personIn(phone, lid);
    return reaction === "" ? [] : [{ from_me: sender === null, sender, reaction, timestamp }];
  });
}

/** The parts of a message that actions (quote, forward, reaction, edit, …) need. `raw` is base64 of the network's encoding. */
export type StoredMessage = {
  ref: MessageRef;
  raw: string | null;
  timestamp: number;
  type: string;
  status: string | null;
  text: string | null;
  deleted: boolean;
};

export type StoredMessageRow = {
  chat_id: string;
  message_id: string;
  from_me: number;
  phone: string | null;
  sender_lid: string | null;
  raw: string | null;
  timestamp: number;
  type: string;
  status: string | null;
  text: string | null;
  deleted_at: number | null;
};

export const STORED_MESSAGE_COLUMNS = `m.chat_id, m.message_id, m.from_me, ${phoneOf("m", "sender_phone", "sender_lid")} AS phone, m.sender_lid, m.timestamp, m.type,
  m.status, m.text, m.deleted_at`;

export function storedMessageOf(row: StoredMessageRow): StoredMessage {
  const fromMe = row.from_me === 1;
  const author = personIn(row.phone, row.sender_lid);
  return {
    ref: {
      chat_id: row.chat_id,
      message_id: row.message_id,
      from_me: fromMe,
      participant: chatKind(row.chat_id) === "group" ? author : null,
    },
    raw: row.raw,
    timestamp: row.timestamp,
    type: row.type,
    status: row.status,
    text: row.text,
    deleted: row.deleted_at !== null,
  };
}

// Fills in the number itself as sender or recipient. It is not stored, because the number may change.
export function withOwnSide(record: MessageRecord, phone: string | null): MessageRecord {
  const self: Person = { phone, lid: null };
  const { from_me, quoted, reactions } = record;
  return {
    ...record,
    sender: from_me ? self : record.sender,
    recipient: from_me ? record.recipient : self,
    quoted: quoted?.from_me === true ? { ...quoted, from: self } : quoted,
    reactions: reactions.map((each) => (each.from_me ? { ...each, sender: self } : each)),
  };
}
