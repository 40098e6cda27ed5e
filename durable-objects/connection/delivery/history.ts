// What customers see of their deliveries.
import type { Outcome } from "../../../src/protocol/failures.ts";
import type { DeliveryDetail, DeliveryRecord } from "../../../src/protocol/records.ts";
import { bodyOf } from "../../../src/domain/webhook-style/body.ts";
import { type Endpoint, isClosed } from "./endpoints.ts";
import { attemptsOf, HISTORY_MS, STATE } from "./queue.ts";

/** `before`: only deliveries older than the one of this place (a place is what `cursor` of the page before said). */
export type HistoryQuery = { status: DeliveryRecord["status"] | null; event: string | null; limit: number; before: number | null };
export type HistoryPage = { items: DeliveryRecord[]; next: number | null };

type Row = {
  seq: number;
  id: string;
  type: string;
  created_at: number;
  state: number;
  attempts: number;
  due_at: number | null;
  http_status: number | null;
  error: string | null;
  settled_at: number | null;
  log: string | null;
  text: string | null;
};

const COLUMNS = "seq, id, type, created_at, state, attempts, due_at, http_status, error, settled_at";

/** The stored states behind each shown one; in a closed lane what waits is as good as skipped. */
const SHOWN_AS: Readonly<Record<DeliveryRecord["status"], readonly number[]>> = {
  pending: [STATE.fresh, STATE.retry, STATE.inFlight],
  delivered: [STATE.delivered],
  failed: [STATE.failed],
  skipped: [STATE.skipped],
};

const NOT_FOUND: Outcome<never> = { ok: false, failure: { code: "delivery_not_found" } };

export class History {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Newest first. */
  page(endpoint: Endpoint, { status, event, limit, before }: HistoryQuery, now: number): HistoryPage {
    const states = status === null ? [] : SHOWN_AS[status];
    const rows = this.#sql
      .exec<Row>(
        `SELECT ${COLUMNS} FROM delivery WHERE lane = ? AND seq < ? AND created_at > ? AND (? IS NULL OR type = ?)
         AND (? OR state IN (SELECT value FROM json_each(?))) ORDER BY seq DESC LIMIT ?`,
        endpoint.lane,
        before ?? Number.MAX_SAFE_INTEGER,
        now - HISTORY_MS,
        event,
        event,
        Number(status === null),
        JSON.stringify(states),
        limit + 1,
      )
      .toArray();
    const shown = rows.slice(0, limit);
    return { items: shown.map((row) => recordOf(row, endpoint)), next: rows.length > limit ? (shown.at(-1)?.seq ?? null) : null };
  }

  find(endpoint: Endpoint, id: string, now: number): Outcome<DeliveryDetail> {
    const row = this.#row(endpoint, id, now);
    if (row === null) return NOT_FOUND;
    const attempt_log = attemptsOf(row.log).map(([at, http_status, latency_ms, error]) => ({ at, http_status, latency_ms, error }));
    return {
      ok: true,
      value: { ...recordOf(row, endpoint), request_body: row.text === null ? null : bodyOf(row.id, row.text), attempt_log },
    };
  }

  #row(endpoint: Endpoint, id: string, now: number): Row | null {
    const rows = this.#sql
      .exec<Row>(
        `SELECT ${COLUMNS}, log, (SELECT text FROM body WHERE body.seq = delivery.body) AS text FROM delivery WHERE id = ? AND lane = ? AND created_at > ?`,
        id,
        endpoint.lane,
        now - HISTORY_MS,
      )
      .toArray();
    return rows[0] ?? null;
  }
}

function recordOf(row: Row, endpoint: Endpoint): DeliveryRecord {
  const waiting = row.state === STATE.fresh || row.state === STATE.retry;
  const skipped = waiting && isClosed(endpoint);
  return {
    id: row.id,
    event: row.type,
    status: skipped ? "skipped" : statusOf(row.state),
    http_status: row.http_status,
    attempts: row.attempts,
    created_at: row.created_at,
    delivered_at: row.state === STATE.delivered ? row.settled_at : null,
    next_attempt_at: waiting && !skipped ? row.due_at : null,
    last_error: row.error,
  };
}

function statusOf(state: number): DeliveryRecord["status"] {
  if (state === STATE.delivered) return "delivered";
  if (state === STATE.failed) return "failed";
  return state === STATE.skipped ? "skipped" : "pending";
}
