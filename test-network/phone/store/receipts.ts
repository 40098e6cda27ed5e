import { statement, type Database } from "./database.ts";

/** A receipt for one of the phone's own messages. `kind` as on the wire, or `delivered`. */
export interface ReceiptRecord {
  message_id: string;
  from: string;
  kind: string;
  timestamp: number;
}

export class Receipts {
  readonly #db: Database;
  readonly #pn: string;

  constructor(db: Database, pn: string) {
    this.#db = db;
    this.#pn = pn;
  }

  add(receipt: ReceiptRecord): void {
    statement(this.#db, "INSERT OR IGNORE INTO receipt (pn, message_id, sender, kind, at) VALUES (?, ?, ?, ?, ?)").run(
      this.#pn,
      receipt.message_id,
      receipt.from,
      receipt.kind,
      receipt.timestamp,
    );
  }

  list(messageId?: string): ReceiptRecord[] {
    const rows =
      messageId === undefined
        ? statement(this.#db, "SELECT * FROM receipt WHERE pn = ? ORDER BY seq").all(this.#pn)
        : statement(this.#db, "SELECT * FROM receipt WHERE pn = ? AND message_id = ? ORDER BY seq").all(this.#pn, messageId);
    return rows.map((row) => ({
      message_id: String(row["message_id"]),
      from: String(row["sender"]),
      kind: String(row["kind"]),
      timestamp: Number(row["at"]),
    }));
  }
}
