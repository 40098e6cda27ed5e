// The outbox's table.
import type { SendRequest } from "../../../src/protocol/content.ts";
import type { Outcome } from "../../../src/protocol/failures.ts";
import type { OperationOutput } from "../../../src/protocol/operations.ts";
import { DAY_MS } from "../../../src/protocol/units.ts";

export type SendResult = OperationOutput<"messages.send">;

/** What the network need not know of a send. `to`: the digits the caller gave, or those of the chat. */
export type SendDetails = { to: string | null; reference: string | null; source: "api" | "dashboard" };

/**
 * `asked`: a bridge was asked, nobody knows yet. `sent`: the network took it. `refused`: it certainly did not go.
 * `uncertain`: it may have gone, and the caller was told so. `abandoned`: it certainly did not go, for want of a session.
 */
export type SendState = "asked" | "sent" | "refused" | "uncertain" | "abandoned";

export type SendRow = {
  messageId: string;
  state: SendState;
  generation: number;
  askedAt: number;
  request: SendRequest;
  details: SendDetails;
  outcome: Outcome<SendResult> | null;
};

type Stored = {
  message_id: string;
  state: SendState;
  generation: number;
  asked_at: number;
  request: string;
  details: string;
  outcome: string | null;
};

const KEPT_MS = 7 * DAY_MS;
const PURGED_AT_ONCE = 1_000;

export class OutboxRows {
  readonly #sql: SqlStorage;
  /** Ids of the rows that are asked or uncertain; read once per wake-up. */
  #open: Set<string> | null = null;
  /** Rows asked in this life whose end is not known: they are looked at again within milliseconds. */
  readonly #asked = new Map<string, SendRow>();
  #oldest: number | null | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  find(messageId: string): SendRow | null {
    const asked = this.#asked.get(messageId);
    if (asked !== undefined) return asked;
    const row = this.#sql.exec<Stored>("SELECT * FROM outbox WHERE message_id = ?", messageId).toArray()[0];
    return row === undefined ? null : rowOf(row);
  }

  /** Asked, for the first time or again. */
  ask(request: SendRequest, details: SendDetails, generation: number, now: number): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO outbox (message_id, state, generation, asked_at, request, details, outcome) VALUES (?, 'asked', ?, ?, ?, ?, NULL)",
      request.message_id,
      generation,
      now,
      JSON.stringify(request),
      JSON.stringify(details),
    );
    this.open.add(request.message_id);
    this.#asked.set(request.message_id, {
      messageId: request.message_id,
      state: "asked",
      generation,
      askedAt: now,
      request,
      details,
      outcome: null,
    });
    if (this.#oldest === null) this.#oldest = now;
  }

  /** Ended, or at least answered. Only an uncertain one keeps its request: it may yet be told as sent. */
  end(messageId: string, state: Exclude<SendState, "asked">, outcome: Outcome<SendResult>): void {
    const request = state === "uncertain" ? "" : ", request = ''";
    this.#sql.exec(`UPDATE outbox SET state = ?, outcome = ?${request} WHERE message_id = ?`, state, JSON.stringify(outcome), messageId);
    this.#asked.delete(messageId);
    if (state !== "uncertain") this.open.delete(messageId);
  }

  /** Those whose end is not known, asked at or after `since` (Unix ms) if they are only uncertain; oldest first. */
  unsettled(since: number): SendRow[] {
    return this.#sql
      .exec<Stored>(
        `SELECT * FROM outbox INDEXED BY outbox_open WHERE state IN ('asked', 'uncertain') AND (state = 'asked' OR asked_at >= ?) ORDER BY asked_at`,
        since,
      )
      .toArray()
      .map(rowOf);
  }

  get open(): Set<string> {
    this.#open ??= new Set(
      this.#sql
        .exec<{ message_id: string }>("SELECT message_id FROM outbox WHERE state IN ('asked', 'uncertain')")
        .toArray()
        .map((row) => row.message_id),
    );
    return this.#open;
  }

  /** What is remembered of the table may be wrong: a write was rolled back. */
  forget(): void {
    this.#open = null;
    this.#asked.clear();
    this.#oldest = undefined;
  }

  /** Whole days: rows of one day go together. */
  nextDue(): number | null {
    if (this.#oldest === undefined) {
      this.#oldest = this.#sql.exec<{ oldest: number | null }>("SELECT MIN(asked_at) AS oldest FROM outbox").one().oldest;
    }
    return this.#oldest === null ? null : Math.ceil((this.#oldest + KEPT_MS) / DAY_MS) * DAY_MS;
  }

  /** Drops old rows, some at a time. */
  run(now: number): void {
    const due = this.nextDue();
    if (due === null || now < due) return;
    this.#sql.exec(
      "DELETE FROM outbox WHERE rowid IN (SELECT rowid FROM outbox WHERE asked_at <= ? LIMIT ?)",
      now - KEPT_MS,
      PURGED_AT_ONCE,
    );
    this.forget();
  }
}

/** Written by this file alone. */
function rowOf(row: Stored): SendRow {
  return {
    messageId: row.message_id,
    state: row.state,
    generation: row.generation,
    askedAt: row.asked_at,
    request: (row.request === "" ? null : JSON.parse(row.request)) as SendRequest,
    details: JSON.parse(row.details) as SendDetails,
    outcome: row.outcome === null ? null : (JSON.parse(row.outcome) as Outcome<SendResult>),
  };
}
