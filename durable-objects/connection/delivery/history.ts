// The delivery history that customers see.
import { fail, type Outcome } from "../../../src/protocol/failures.ts";
import type { DeliveryDetail, DeliveryRecord } from "../../../src/protocol/records.ts";
import { withDeliveryId } from "../../../src/domain/webhooks/style/body.ts";
import { type Endpoint, isClosed } from "./endpoints.ts";
import { attemptsOf } from "./queue.ts";
import { HISTORY_RETENTION_MS, STATE } from "./states.ts";

/** Where a page begins: below a delivery's place, or below a time (Unix ms), with or without the deliveries stored at it. */
export type PageStart = { place: number } | { at: number; inclusive: boolean };
/** `status` null: all. */
export type HistoryQuery = {
  status: readonly DeliveryRecord["status"][] | null;
  event: string | null;
  limit: number;
  before: PageStart | null;
};
/** `place` orders the deliveries of a lane by their time. */
export type HistoryPage = { items: (DeliveryRecord & { place: number })[]; more: boolean };

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

/** The stored states of each status; `recordOf` shows what waits in a closed lane as skipped. */
const SHOWN_AS: Readonly<Record<DeliveryRecord["status"], readonly number[]>> = {
  pending: [STATE.fresh, STATE.retry, STATE.inFlight],
  delivered: [STATE.delivered],
  failed: [STATE.failed],
  skipped: [STATE.skipped],
};

/** Of all lanes: enough for a connection with few events; a busy one knows by itself what was accepted last. */
const LATEST_ROWS = 200;

const NOT_FOUND: Outcome<never> = fail("delivery_not_found");

export class History {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Newest first. */
  page(endpoint: Endpoint, { status, event, limit, before }: HistoryQuery, now: number): HistoryPage {
    const states = (status ?? []).flatMap((shown) => SHOWN_AS[shown]);
    const rows = this.#sql
      .exec<Row>(
        `SELECT ${COLUMNS} FROM delivery WHERE lane = ? AND seq < ? AND created_at > ? AND (? IS NULL OR type = ?)
         AND (? OR state IN (SELECT value FROM json_each(?))) ORDER BY seq DESC LIMIT ?`,
        endpoint.lane,
        this.#below(before),
        now - HISTORY_RETENTION_MS,
        event,
        event,
        Number(status === null),
        JSON.stringify(states),
        limit + 1,
      )
      .toArray();
    const shown = rows.slice(0, limit);
    return { items: shown.map((row) => ({ ...recordOf(row, endpoint), place: row.seq })), more: rows.length > limit };
  }

  find(endpoint: Endpoint, id: string, now: number): Outcome<DeliveryDetail> {
    const row = this.#row(endpoint, id, now);
    if (row === null) return NOT_FOUND;
    const attempt_log = attemptsOf(row.log).map(([at, http_status, latency_ms, error]) => ({ at, http_status, latency_ms, error }));
    return {
      ok: true,
      value: { ...recordOf(row, endpoint), request_body: row.text === null ? null : withDeliveryId(row.id, row.text), attempt_log },
    };
  }

  /** When one of its latest deliveries was accepted (Unix ms); null: none of them was. */
  lastAccepted({ lane }: Endpoint): number | null {
    const latest = `SELECT lane, state, settled_at FROM delivery ORDER BY seq DESC LIMIT ${LATEST_ROWS}`;
    const query = `SELECT max(settled_at) AS at FROM (${latest}) WHERE lane = ? AND state = ${STATE.delivered}`;
    return this.#sql.exec<{ at: number | null }>(query, lane).one().at;
  }

  /** The upper bound of the page's seqs. They grow with time, so a time is found by binary search. */
  #below(before: PageStart | null): number {
    if (before === null) return Number.MAX_SAFE_INTEGER;
    if ("place" in before) return before.place;
    const { at, inclusive } = before;
    let [low, high] = this.#ends();
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const row = this.#firstFrom(middle);
      if (row === undefined || row.created_at > at || (!inclusive && row.created_at === at)) high = middle;
      else low = row.seq + 1;
    }
    return low;
  }

  #ends(): [first: number, afterLast: number] {
    const { first, last } = this.#sql
      .exec<{ first: number | null; last: number | null }>("SELECT min(seq) AS first, max(seq) AS last FROM delivery")
      .one();
    return [first ?? 0, (last ?? -1) + 1];
  }

  #firstFrom(seq: number): { seq: number; created_at: number } | undefined {
    return this.#sql
      .exec<{ seq: number; created_at: number }>("SELECT seq, created_at FROM delivery WHERE seq >= ? ORDER BY seq LIMIT 1", seq)
      .toArray()[0];
  }

  #row(endpoint: Endpoint, id: string, now: number): Row | null {
    const rows = this.#sql
      .exec<Row>(
        `SELECT ${COLUMNS}, log, ifnull(text, (SELECT text FROM body WHERE body.seq = delivery.body)) AS text FROM delivery WHERE id = ? AND lane = ? AND created_at > ?`,
        id,
        endpoint.lane,
        now - HISTORY_RETENTION_MS,
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
