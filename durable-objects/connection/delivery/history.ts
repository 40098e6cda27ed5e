import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { DeliveryDetail, DeliveryRecord } from "@gateway/protocol/records.ts";
import { withDeliveryId } from "@gateway/domain/webhooks/style/body.ts";
import { type Endpoint, isClosed } from "./endpoints.ts";
import { attemptsOf } from "./queue.ts";
import { HISTORY_RETENTION_MS, STATE } from "./states.ts";
import { readNumber } from "../../shared/read-number.ts";

/** A page continues below a delivery's `place`, or below a time (Unix ms). `inclusive` includes deliveries at exactly that time. */
export type PageStart = { place: number } | { at: number; inclusive: boolean };
export type HistoryQuery = {
  status: readonly DeliveryRecord["status"][] | null;
  event: string | null;
  limit: number;
  before: PageStart | null;
};
export type HistoryPage = { items: (DeliveryRecord & { place: number })[]; more: boolean };

type DeliveryRow = {
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

/** Stored states for each status. `deliveryRecordOf` shows waiting deliveries of a closed queue as skipped. */
const SHOWN_AS: Readonly<Record<DeliveryRecord["status"], readonly number[]>> = {
  pending: [STATE.fresh, STATE.retry, STATE.inFlight],
  delivered: [STATE.delivered],
  failed: [STATE.failed],
  skipped: [STATE.skipped],
};

/** Number of deliveries searched for the last success. Enough for an endpoint with few events, because a busy one stores it. */
const LATEST_ROWS = 200;

const NOT_FOUND: Outcome<never> = fail("delivery_not_found");

export class History {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  async page(endpoint: Endpoint, query: HistoryQuery, now: number): Promise<HistoryPage> {
    const { limit } = query;
    const { first, afterLast } = endsOf(this.#sql);
    const rows: DeliveryRow[] = [];
    for (let below = Math.min(this.#below(query.before), afterLast); ; below -= SLICE_SEQS) {
      rows.push(...this.#slice(endpoint, query, below, limit + 1 - rows.length, now));
      if (rows.length > limit || below - SLICE_SEQS <= first) break;
      await pause();
    }
    const shown = rows.slice(0, limit);
    return { items: shown.map((row) => ({ ...deliveryRecordOf(row, endpoint), place: row.seq })), more: rows.length > limit };
  }

  find(endpoint: Endpoint, id: string, now: number): Outcome<DeliveryDetail> {
    const row = this.#row(endpoint, id, now);
    if (row === null) return NOT_FOUND;
    const attempt_log = attemptsOf(row.log).map(([at, http_status, latency_ms, error]) => ({ at, http_status, latency_ms, error }));
    return succeed({
      ...deliveryRecordOf(row, endpoint),
      request_body: row.text === null ? null : withDeliveryId(row.id, row.text),
      attempt_log,
    });
  }

  /** Finds a delivery by id, whichever receiver it is for. Omits the body. */
  locate(id: string, now: number): { at: number; event: string; status: DeliveryRecord["status"]; error: string | null } | null {
    const query = `SELECT ${COLUMNS} FROM delivery WHERE id = ? AND created_at > ?`;
    const [row] = this.#sql.exec<DeliveryRow>(query, id, now - HISTORY_RETENTION_MS).toArray();
    return row === undefined ? null : { at: row.created_at, event: row.type, status: statusOf(row.state), error: row.error };
  }

  lastAccepted({ queueId }: Endpoint): number | null {
    const latest = `SELECT queue_id, state, settled_at FROM delivery ORDER BY seq DESC LIMIT ${LATEST_ROWS}`;
    const query = `SELECT max(settled_at) FROM (${latest}) WHERE queue_id = ? AND state = ${STATE.delivered}`;
    return readNumber(this.#sql, query, queueId);
  }

  #slice({ queueId }: Endpoint, { status, event }: HistoryQuery, below: number, limit: number, now: number): DeliveryRow[] {
    const states = (status ?? []).flatMap((shown) => SHOWN_AS[shown]);
    return this.#sql
      .exec<DeliveryRow>(
        `SELECT ${COLUMNS} FROM delivery WHERE queue_id = ? AND seq >= ? AND seq < ? AND created_at > ? AND (? IS NULL OR type = ?)
         AND (? OR state IN (SELECT value FROM json_each(?))) ORDER BY seq DESC LIMIT ?`,
        queueId,
        below - SLICE_SEQS,
        below,
        now - HISTORY_RETENTION_MS,
        event,
        event,
        Number(status === null),
        JSON.stringify(states),
        limit,
      )
      .toArray();
  }

  #below(before: PageStart | null): number {
    if (before === null) return Number.MAX_SAFE_INTEGER;
    if ("place" in before) return before.place;
    return firstSeqFrom(this.#sql, before.inclusive ? before.at + 1 : before.at);
  }

  #row(endpoint: Endpoint, id: string, now: number): DeliveryRow | null {
    const rows = this.#sql
      .exec<DeliveryRow>(
        `SELECT ${COLUMNS}, log, ifnull(text, (SELECT text FROM body WHERE body.seq = delivery.body)) AS text FROM delivery WHERE id = ? AND queue_id = ? AND created_at > ?`,
        id,
        endpoint.queueId,
        now - HISTORY_RETENTION_MS,
      )
      .toArray();
    return rows[0] ?? null;
  }
}

function deliveryRecordOf(row: DeliveryRow, endpoint: Endpoint): DeliveryRecord {
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

// Searches by seq, which grows with time. An index by queue or result would cost one row per entry, so the search runs in slices.
export const SLICE_SEQS = 20_000;

export const pause = (): Promise<void> => scheduler.wait(0);

function endsOf(sql: SqlStorage): { first: number; afterLast: number } {
  // Two subqueries, because SQLite would scan the table for min and max in one plain SELECT.
  const { first, last } = sql
    .exec<{ first: number | null; last: number | null }>(
      "SELECT (SELECT min(seq) FROM delivery) AS first, (SELECT max(seq) FROM delivery) AS last",
    )
    .one();
  return { first: first ?? 0, afterLast: (last ?? -1) + 1 };
}

export function firstSeqFrom(sql: SqlStorage, at: number): number {
  let { first: low, afterLast: high } = endsOf(sql);
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = sql
      .exec<{ seq: number; created_at: number }>("SELECT seq, created_at FROM delivery WHERE seq >= ? ORDER BY seq LIMIT 1", middle)
      .toArray()[0];
    if (row === undefined || row.created_at >= at) high = middle;
    else low = row.seq + 1;
  }
  return low;
}
