import type { MessageRef } from "@gateway/protocol/content.ts";
import { chatKind } from "@gateway/protocol/ids.ts";
import { personIn, phoneOf } from "../contacts/person-columns.ts";

/** The part of a message that actions (quote, forward, reaction, edit, …) need. `raw` is base64 of the network's encoding. */
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
