import * as z from "zod";
import type { MessageProgress, StatusReport } from "@gateway/domain/messages/message-status.ts";
import { mustParse } from "@gateway/protocol/fast-parse.ts";
import { Failure } from "@gateway/protocol/failures.ts";
import type { ChatId, Person } from "@gateway/protocol/ids.ts";
import { MessageStatus, type MessageRecord } from "@gateway/protocol/records.ts";
import { mergeByPerson, personIn, phoneOf, personKey } from "../contacts/lids.ts";

export const RECEIPT_SCHEMA = `
  CREATE TABLE receipts (
    chat_id TEXT NOT NULL, message_id TEXT NOT NULL, who TEXT NOT NULL, phone TEXT, lid TEXT,
    delivered_at INTEGER, read_at INTEGER, played_at INTEGER, PRIMARY KEY (chat_id, message_id, who)
  ) WITHOUT ROWID;`;

const Row = z.object({
  no: z.number(),
  chat_id: z.string(),
  timestamp: z.number(),
  status: MessageStatus,
  source: z.enum(["api", "dashboard", "phone"]),
  reference: z.string().nullable(),
  announced: z.number(),
  delivered_at: z.number().nullable(),
  read_at: z.number().nullable(),
  played_at: z.number().nullable(),
  failure: z.string().nullable(),
});

export type OwnMessage = {
  no: number;
  chatId: ChatId;
  timestamp: number;
  source: "api" | "dashboard" | "phone";
  reference: string | null;
  announced: boolean;
  progress: MessageProgress;
  failure: Failure | null;
};

type ReceiptRow = {
  phone: string | null;
  lid: string | null;
  delivered_at: number | null;
  read_at: number | null;
  played_at: number | null;
};

export class OwnMessages {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Finds an own message by id alone, because the network may report a different chat id. */
  find(messageId: string): OwnMessage | null {
    const row = this.#sql
      .exec(
        // The index hint prevents a scan of all own messages.
        `SELECT no, chat_id, timestamp, status, source, reference, announced, delivered_at, read_at, played_at, failure FROM messages INDEXED BY messages_identity
         WHERE message_id = ? AND from_me = 1 ORDER BY no DESC LIMIT 1`,
        messageId,
      )
      .toArray()[0];
    if (row === undefined) return null;
    const { no, chat_id, timestamp, source, reference, announced, status, delivered_at, read_at, played_at, failure } = mustParse(Row, row);
    const progress = { status, deliveredAt: delivered_at, readAt: read_at, playedAt: played_at };
    return { no, chatId: chat_id, timestamp, source, reference, announced: announced > 0, progress, failure: failureIn(failure) };
  }

  setProgress(no: number, progress: MessageProgress, failure: Failure | null): void {
    this.#sql.exec(
      `UPDATE messages SET status = ?2, delivered_at = ?3, read_at = ?4, played_at = ?5,
         failure = CASE WHEN ?2 = 'failed' THEN COALESCE(?6, failure) END WHERE no = ?1`,
      no,
      progress.status,
      progress.deliveredAt,
      progress.readAt,
      progress.playedAt,
      failure === null ? null : JSON.stringify(failure),
    );
  }

  markAnnounced(no: number, acceptedAt: number | null): void {
    this.#sql.exec("UPDATE messages SET announced = 1, accepted_at = COALESCE(accepted_at, ?2) WHERE no = ?1", no, acceptedAt);
  }

  /** Deletes a pending message whose send waits again. Its file stays, because the send still needs it. */
  withdrawPending(messageId: string): void {
    const own = this.find(messageId);
    if (own === null || own.progress.status !== "pending") return;
    const deleted = this.#sql.exec<{ token: string | null }>(
      "DELETE FROM messages WHERE no = ? RETURNING json_extract(media, '$.token') AS token",
      own.no,
    );
    for (const { token } of deleted.toArray()) if (token !== null) this.#sql.exec("DELETE FROM removed_files WHERE token = ?", token);
  }

  setPendingAgain(messageId: string): void {
    this.#sql.exec(
      "UPDATE messages SET status = 'pending', failure = NULL WHERE message_id = ? AND from_me = 1 AND status = 'failed'",
      messageId,
    );
  }

  /** Stores a receipt. Only the first report of each status counts. */
  addReceipt(chatId: ChatId, messageId: string, participant: Person, { status, at }: StatusReport): void {
    if (status === "failed") return;
    this.#sql.exec(
      `INSERT INTO receipts (chat_id, message_id, who, phone, lid, ${status}_at) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (chat_id, message_id, who) DO UPDATE SET ${status}_at = excluded.${status}_at WHERE ${status}_at IS NULL`,
      chatId,
      messageId,
      personKey(participant),
      participant.phone,
      participant.lid,
      at,
    );
  }

  receipts(chatId: ChatId, messageId: string): NonNullable<MessageRecord["receipts"]> {
    const rows = this.#sql
      .exec<ReceiptRow>(
        `SELECT ${phoneOf("r")} AS phone, r.lid, r.delivered_at, r.read_at, r.played_at FROM receipts r WHERE r.chat_id = ? AND r.message_id = ?`,
        chatId,
        messageId,
      )
      .toArray();
    return mergeByPerson(rows, firstOfEach).map(({ phone, lid, ...times }) => ({
      participant: personIn(phone, lid) ?? { phone, lid },
      ...times,
    }));
  }
}

function failureIn(json: string | null): Failure | null {
  return json === null ? null : Failure.parse(JSON.parse(json));
}

function firstOfEach(first: ReceiptRow, second: ReceiptRow): ReceiptRow {
  return {
    ...first,
    lid: first.lid ?? second.lid,
    delivered_at: earliest(first.delivered_at, second.delivered_at),
    read_at: earliest(first.read_at, second.read_at),
    played_at: earliest(first.played_at, second.played_at),
  };
}

function earliest(first: number | null, second: number | null): number | null {
  if (first === null || second === null) return first ?? second;
  return Math.min(first, second);
}
