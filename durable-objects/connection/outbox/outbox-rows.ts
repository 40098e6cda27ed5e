// Owns the `outbox` table, and caches its open rows. It never decides an outcome: `Outbox` dispatches sends, and `Settlement` settles them.
import type { SendWindow } from "@gateway/domain/messages/send-window.ts";
import type { SendRequest } from "@gateway/protocol/content.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";
import type { OperationOutput } from "@gateway/protocol/operations.ts";
import { sendTimeoutMs } from "@gateway/protocol/instance-settings.ts";
import type { Grid } from "@gateway/domain/spread.ts";
import { DAY_MS, HOUR_MS, earliest } from "@gateway/protocol/units.ts";
import type { Migrations } from "../../shared/migrate.ts";
import { readNumber } from "../../shared/read-number.ts";

export const OUTBOX_MIGRATIONS: Migrations = [
  // One row per send, stored before it is dispatched and numbered in order of arrival. `request` is JSON of SendRequest, emptied when
  // settled. `details` is JSON of SendDetails, and `outcome` JSON of Outcome<SendResult>. `generation` is the session of the last dispatch.
  // `failed_at` says when the send was counted as failed. `counted` is JSON of Counted for an accepted message. Times are in Unix ms.
  // The state `asked` and the time `asked_at` are called `dispatched` and `dispatchedAt` in the code.
  `CREATE TABLE outbox (
     message_id TEXT PRIMARY KEY, state TEXT NOT NULL, generation INTEGER NOT NULL, asked_at INTEGER NOT NULL,
     request TEXT NOT NULL, details TEXT NOT NULL, outcome TEXT, failed_at INTEGER, counted TEXT
   )`,
  "CREATE INDEX outbox_open ON outbox (state, asked_at) WHERE state IN ('asked', 'uncertain', 'unproved')",
];

export type SendResult = OperationOutput<"messages.send">;

export type SendDetails = {
  /** The number's digits, from the request or the chat. */
  to: string | null;
  reference: string | null;
  source: "api" | "dashboard";
  /** Digest of the content if the caller chose the id, else null. */
  content: string | null;
  /** Set for a send that waited. Such a send waits again if the message certainly was not sent. */
  delivery?: SendWindow & { acceptedAt: number; bytes: number };
};

type SendFacts = {
  messageId: string;
  generation: number;
  dispatchedAt: number;
  details: SendDetails;
  outcome: Outcome<SendResult> | null;
  failedAt: number | null;
  counted: Counted | null;
};

type OpenState =
  /** Dispatched, and the outcome is open. */
  | "dispatched"
  /** Possibly sent, and the caller has that result. */
  | "uncertain"
  /** Uncertain for so long that the message was reported as failed. */
  | "unproved";

type SettledState =
  /** The network has acknowledged it. */
  | "sent"
  | "refused"
  /** Certainly not sent, because there was no session. */
  | "abandoned";

export type SendState = OpenState | SettledState;

export type OpenSendRow = SendFacts & { state: OpenState; request: SendRequest };
type SettledSendRow = SendFacts & { state: SettledState; request: null };
export type SendRow = OpenSendRow | SettledSendRow;

type StoredState = "asked" | Exclude<SendState, "dispatched">;

export type Counted = { at: number; names: string[] };

type StoredSend = {
  message_id: string;
  state: StoredState;
  generation: number;
  asked_at: number;
  request: string;
  details: string;
  outcome: string | null;
  failed_at: number | null;
  counted: string | null;
};

/** After this time, the object stops asking about an uncertain send and reports it as failed. A receipt may still settle it. */
export const RECALL_WINDOW_MS = HOUR_MS;
/** Must match the condition of the `outbox_open` index exactly. */
export const OPEN_SENDS = "state IN ('asked', 'uncertain', 'unproved')";
const RETENTION_MS = 7 * DAY_MS;
/** Margin that keeps the alarm later than the caller's own timer. */
const WATCH_GRACE_MS = 20_000;
const PURGE_BATCH = 1_000;

type Ended = Pick<SendRow, "failedAt" | "counted">;

type OpenRows = {
  ids: Set<string>;
  /** Ids of the rows in state `dispatched`, oldest first. */
  dispatched: Set<string>;
  /** Due times (Unix ms) of the rows without a waiting caller. */
  dues: Map<string, number>;
};

export class OutboxRows {
  readonly #sql: SqlStorage;
  readonly #days: Grid;
  /** Read once per wake-up. */
  #openRows: OpenRows | null = null;
  /** Cached rows of unsettled sends dispatched by this instance, because most are read again within milliseconds. */
  readonly #dispatchedRows = new Map<string, OpenSendRow>();
  #oldest: number | null | undefined;

  constructor(sql: SqlStorage, days: Grid) {
    this.#sql = sql;
    this.#days = days;
  }

  find(messageId: string): SendRow | null {
    const dispatched = this.#dispatchedRows.get(messageId);
    if (dispatched !== undefined) return dispatched;
    const row = this.#sql.exec<StoredSend>("SELECT * FROM outbox WHERE message_id = ?", messageId).toArray()[0];
    return row === undefined ? null : sendRowOf(row);
  }

  storeDispatched(request: SendRequest, details: SendDetails, generation: number, now: number): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO outbox (message_id, state, generation, asked_at, request, details) VALUES (?, 'asked', ?, ?, ?, ?)",
      request.message_id,
      generation,
      now,
      JSON.stringify(request),
      JSON.stringify(details),
    );
    const { ids, dispatched, dues } = this.#open;
    ids.add(request.message_id);
    dispatched.add(request.message_id);
    dues.delete(request.message_id);
    this.#dispatchedRows.set(request.message_id, {
      messageId: request.message_id,
      state: "dispatched",
      generation,
      dispatchedAt: now,
      request,
      details,
      outcome: null,
      failedAt: null,
      counted: null,
    });
    if (this.#oldest === null) this.#oldest = now;
  }

  /** Sets an alarm so that, even if the object crashes, the caller gets a result by `deadlineAt` (Unix ms). */
  watch(request: SendRequest, deadlineAt: number): void {
    this.#open.dues.set(request.message_id, deadlineAt + WATCH_GRACE_MS);
  }

  /** Stores the outcome. The request is kept only while the outcome may still change. */
  end(row: SendRow, state: Exclude<SendState, "dispatched">, outcome: Outcome<SendResult>, { failedAt, counted }: Ended): void {
    const { messageId, dispatchedAt } = row;
    const isOpen = state === "uncertain" || state === "unproved";
    const emptied = isOpen ? "" : ", request = ''";
    const settled = `UPDATE outbox SET state = ?, outcome = ?, failed_at = ?, counted = ?${emptied} WHERE message_id = ?`;
    this.#sql.exec(settled, state, JSON.stringify(outcome), failedAt, jsonOf(counted), messageId);
    this.#dispatchedRows.delete(messageId);
    const { ids, dispatched, dues } = this.#open;
    if (!isOpen) ids.delete(messageId);
    dispatched.delete(messageId);
    if (state === "uncertain") dues.set(messageId, dispatchedAt + RECALL_WINDOW_MS);
    else dues.delete(messageId);
  }

  recounted({ messageId }: SendRow, counted: Counted): void {
    this.#sql.exec("UPDATE outbox SET counted = ? WHERE message_id = ?", jsonOf(counted), messageId);
  }

  findOpen(messageId: string): OpenSendRow | null {
    const row = this.#open.ids.has(messageId) ? this.find(messageId) : null;
    return row === null || row.request === null ? null : row;
  }

  get hasOpen(): boolean {
    return this.#open.ids.size > 0;
  }

  waitedFor(messageId: string): void {
    this.#open.dues.delete(messageId);
  }

  /** Open sends past their due time without a waiting caller. An earlier instance dispatched them, or they stayed uncertain. */
  overdue(now: number): OpenSendRow[] {
    const ids = [...this.#open.dues].filter(([, due]) => due <= now).map(([id]) => id);
    return ids.map((id) => this.findOpen(id)).filter((row) => row !== null);
  }

  /** Sends without a final outcome, oldest first. Uncertain ones are included only if dispatched since `since` (Unix ms). */
  unsettled(since: number): SendRow[] {
    return this.#sql
      .exec<StoredSend>(
        `SELECT * FROM outbox INDEXED BY outbox_open WHERE ${OPEN_SENDS} AND (state = 'asked' OR (state = 'uncertain' AND asked_at >= ?))
         ORDER BY asked_at`,
        since,
      )
      .toArray()
      .map(sendRowOf);
  }

  /** When the newest send was dispatched (Unix ms), or null. */
  lastDispatchedAt(): number | null {
    return readNumber(this.#sql, "SELECT (SELECT asked_at FROM outbox ORDER BY rowid DESC LIMIT 1)");
  }

  /** Ids of the sends that were dispatched and have no outcome yet, oldest first. */
  get dispatched(): ReadonlySet<string> {
    return this.#open.dispatched;
  }

  get #open(): OpenRows {
    this.#openRows ??= this.#readOpen();
    return this.#openRows;
  }

  #readOpen(): OpenRows {
    const rows = this.#sql
      .exec<Pick<StoredSend, "message_id" | "state" | "asked_at" | "request">>(
        `SELECT message_id, state, asked_at, request FROM outbox INDEXED BY outbox_open WHERE ${OPEN_SENDS}`,
      )
      .toArray();
    const timed = rows.filter(({ state }) => state !== "unproved");
    return {
      ids: new Set(rows.map((row) => row.message_id)),
      dispatched: new Set(rows.filter(({ state }) => state === "asked").map((row) => row.message_id)),
      dues: new Map(timed.map((row) => [row.message_id, dueOf(row)])),
    };
  }

  resetCache(): void {
    this.#openRows = null;
    this.#dispatchedRows.clear();
    this.#oldest = undefined;
  }

  nextDue(): number | null {
    return earliest([this.#nextPurge(), ...this.#open.dues.values()]);
  }

  /** When the oldest rows expire, rounded up to the connection's slot on the following day, so that rows of one day expire together. */
  #nextPurge(): number | null {
    if (this.#oldest === undefined) this.#oldest = readNumber(this.#sql, "SELECT (SELECT asked_at FROM outbox ORDER BY rowid LIMIT 1)");
    return this.#oldest === null ? null : this.#days(this.#oldest + RETENTION_MS);
  }

  run(now: number): void {
    const due = this.#nextPurge();
    if (due === null || now < due) return;
    this.#sql.exec(
      "DELETE FROM outbox WHERE rowid IN (SELECT rowid FROM (SELECT rowid, asked_at FROM outbox ORDER BY rowid LIMIT ?) WHERE asked_at <= ?)",
      PURGE_BATCH,
      now - RETENTION_MS,
    );
    this.resetCache();
  }
}

function jsonOf(counted: Counted | null): string | null {
  return counted === null ? null : JSON.stringify(counted);
}

function dueOf({ state, asked_at, request }: Pick<StoredSend, "state" | "asked_at" | "request">): number {
  return asked_at + (state === "asked" ? sendTimeoutMs(JSON.parse(request) as SendRequest) : RECALL_WINDOW_MS);
}

function sendRowOf(row: StoredSend): SendRow {
  return {
    messageId: row.message_id,
    state: row.state === "asked" ? "dispatched" : row.state,
    generation: row.generation,
    dispatchedAt: row.asked_at,
    request: row.request === "" ? null : (JSON.parse(row.request) as SendRequest),
    details: JSON.parse(row.details) as SendDetails,
    outcome: row.outcome === null ? null : (JSON.parse(row.outcome) as Outcome<SendResult>),
    failedAt: row.failed_at,
    counted: row.counted === null ? null : (JSON.parse(row.counted) as Counted),
    // The cast is safe, because a row contains its request exactly as long as its outcome may still change.
  } as SendRow;
}
