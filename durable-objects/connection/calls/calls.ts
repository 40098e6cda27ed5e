import * as z from "zod";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import type { CallRecord } from "@gateway/protocol/records.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import { phoneOf } from "../contacts/lids.ts";

export const CALL_SCHEMA = `
  CREATE TABLE calls (
    call_id TEXT PRIMARY KEY, chat_id TEXT NOT NULL, phone TEXT, lid TEXT, is_video INTEGER NOT NULL, is_group INTEGER NOT NULL,
    status TEXT NOT NULL, rejected_here INTEGER NOT NULL DEFAULT 0, timestamp INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX calls_in_order ON calls (timestamp, call_id);
  CREATE INDEX calls_of_chat ON calls (chat_id);`;

export type CallReport = Omit<Extract<NetworkEvent, { type: "call" }>, "type">;

type CallRow = {
  call_id: string;
  chat_id: string;
  phone: string | null;
  lid: string | null;
  is_video: number;
  is_group: number;
  status: string;
  rejected_here: number;
  timestamp: number;
};

const COLUMNS = `c.call_id, c.chat_id, ${phoneOf("c")} AS phone, c.lid, c.is_video, c.is_group, c.status, c.rejected_here, c.timestamp`;
const LONGEST_RING_MS = 2 * MINUTE_MS;
const Status = z.enum(["received", "accepted", "rejected", "missed"]);

export class Calls {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** An accepted or rejected call keeps its status. Any other call that ends was missed. `changed` is false for a rejection made here. */
  update(call: CallReport): { changed: boolean } {
    const known = this.#row(call.call_id);
    const status = call.status === "ended" ? "missed" : call.status;
    if (known === null) {
      this.#sql.exec(
        "INSERT INTO calls (call_id, chat_id, phone, lid, is_video, is_group, status, timestamp) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        call.call_id,
        call.chat_id,
        call.from.phone,
        call.from.lid,
        Number(call.is_video),
        Number(call.is_group),
        status,
        call.timestamp,
      );
      return { changed: true };
    }
    const isEndOfRejection = known.status === "missed" && status === "rejected" && known.rejected_here === 1;
    if ((known.status !== "received" && !isEndOfRejection) || status === "received") return { changed: false };
    this.#sql.exec("UPDATE calls SET status = ? WHERE call_id = ?", status, call.call_id);
    return { changed: !(status === "rejected" && known.rejected_here === 1) };
  }

  /** Called before the rejection is sent, so that the object recognizes its echo. */
  markRejectedHere(callId: string): void {
    this.#sql.exec("UPDATE calls SET rejected_here = 1 WHERE call_id = ?", callId);
  }

  /** Called if the network refused the rejection, because the call may still be rejected on another device. */
  unmarkRejectedHere(callId: string): void {
    this.#sql.exec("UPDATE calls SET rejected_here = 0 WHERE call_id = ? AND status IN ('received', 'missed')", callId);
  }

  get(callId: string, now: number): CallRecord | null {
    const row = this.#row(callId);
    return row === null ? null : callRecordOf(row, now);
  }

  list(limit: number, now: number): CallRecord[] {
    return this.#sql
      .exec<CallRow>(`SELECT ${COLUMNS} FROM calls c INDEXED BY calls_in_order ORDER BY c.timestamp DESC, c.call_id DESC LIMIT ?`, limit)
      .toArray()
      .map((row) => callRecordOf(row, now));
  }

  #row(callId: string): CallRow | null {
    return this.#sql.exec<CallRow>(`SELECT ${COLUMNS} FROM calls c WHERE c.call_id = ?`, callId).toArray()[0] ?? null;
  }
}

function callRecordOf({ call_id, chat_id, phone, lid, is_video, is_group, status, timestamp }: CallRow, now: number): CallRecord {
  // A call that has been ringing for too long is over. If the bridge was lost during the call, its end is never reported.
  const isOver = status === "received" && now - timestamp * 1000 > LONGEST_RING_MS;
  return {
    call_id,
    chat_id,
    from: { phone, lid },
    is_video: is_video === 1,
    is_group: is_group === 1,
    status: isOver ? "missed" : Status.parse(status),
    timestamp,
  };
}
