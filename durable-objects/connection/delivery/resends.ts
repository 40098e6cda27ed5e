// Resends: one attempt under the same id. If it fails, the delivery returns to its earlier state.
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { type Endpoint, type Endpoints, isClosed } from "./endpoints.ts";
import type { AttemptSlots } from "./attempt-slots.ts";
import { firstSeqFrom, pause, SLICE_SEQS } from "./history.ts";
import { HISTORY_RETENTION_MS, STATE } from "./states.ts";
import { readNumber } from "../../shared/read-number.ts";

const GIVEN_UP = `state IN (${STATE.failed}, ${STATE.skipped})`;
const REQUEUE = `resent_due_at = iif(resent_state IS NULL, due_at, resent_due_at), resent_state = ifnull(resent_state, state),
   state = ${STATE.retry}, due_at = ?`;

/** The order by seq and the order by time may differ by this much, because the clock may be set back. */
const CLOCK_STEP_MS = 60_000;

type Job = { number: number; queueId: number; after: number; through: number };

export class Resends {
  readonly #sql: SqlStorage;
  readonly #endpoints: Endpoints;
  readonly #slots: AttemptSlots;
  #hasJobs: boolean;

  constructor(sql: SqlStorage, endpoints: Endpoints, slots: AttemptSlots) {
    this.#sql = sql;
    this.#endpoints = endpoints;
    this.#slots = slots;
    this.#hasJobs = sql.exec("SELECT 1 FROM resend LIMIT 1").toArray().length > 0;
  }

  get hasJobs(): boolean {
    return this.#hasJobs;
  }

  /** Resends one delivery in any state, except one that is in flight or waiting for its first attempt. */
  resend(endpoint: Endpoint, id: string, now: number): Outcome<Record<string, never>> {
    const row = this.#sql
      .exec<{ seq: number; state: number }>(
        `SELECT seq, state FROM delivery WHERE id = ? AND queue_id = ? AND created_at > ? AND (text IS NOT NULL OR EXISTS (SELECT 1 FROM body WHERE body.seq = delivery.body))`,
        id,
        endpoint.queueId,
        now - HISTORY_RETENTION_MS,
      )
      .toArray()[0];
    if (row === undefined) return fail("delivery_not_found");
    if (isClosed(endpoint)) return fail("test_first");
    if (row.state !== STATE.inFlight && row.state !== STATE.fresh) {
      this.#sql.exec(`UPDATE delivery SET ${REQUEUE} WHERE seq = ?`, now, row.seq);
      this.#slots.invalidate(endpoint.queueId);
    }
    return succeed({});
  }

  /** Resends all failed or skipped deliveries that the queue stored in this time span (Unix ms), in slices. Returns their count. */
  async resendFailed(endpoint: Endpoint, since: number, until: number): Promise<Outcome<{ count: number }>> {
    if (isClosed(endpoint)) return fail("test_first");
    const found = { count: 0, first: Number.POSITIVE_INFINITY, last: 0 };
    const end = firstSeqFrom(this.#sql, until + CLOCK_STEP_MS);
    for (let seq = firstSeqFrom(this.#sql, since - CLOCK_STEP_MS); seq < end; seq += SLICE_SEQS) {
      const { count, first, last } = this.#sql
        .exec<{ count: number; first: number | null; last: number | null }>(
          `SELECT count(*) AS count, min(seq) AS first, max(seq) AS last FROM delivery
           WHERE queue_id = ? AND seq >= ? AND seq < ? AND ${GIVEN_UP} AND created_at BETWEEN ? AND ?`,
          endpoint.queueId,
          seq,
          Math.min(end, seq + SLICE_SEQS),
          since,
          until,
        )
        .one();
      found.count += count;
      found.first = Math.min(found.first, first ?? Number.POSITIVE_INFINITY);
      found.last = Math.max(found.last, last ?? 0);
      if (seq + SLICE_SEQS < end) await pause();
    }
    if (found.count > 0) {
      this.#sql.exec("INSERT INTO resend (queue_id, after, through) VALUES (?, ?, ?)", endpoint.queueId, found.first - 1, found.last);
      this.#hasJobs = true;
    }
    return succeed({ count: found.count });
  }

  /** Requeues up to `limit` deliveries in ascending order of seq, so that one that fails immediately is not requeued twice. */
  runSlice(now: number, limit: number): void {
    if (!this.#hasJobs) return;
    const job = this.#sql.exec<Job>("SELECT number, queue_id AS queueId, after, through FROM resend ORDER BY number LIMIT 1").toArray()[0];
    this.#hasJobs = job !== undefined;
    if (job === undefined) return;
    const endpoint = this.#endpoints.get(job.queueId);
    const last = endpoint === null || isClosed(endpoint) ? null : this.#requeue(job, now, limit);
    if (last === null) this.#sql.exec("DELETE FROM resend WHERE number = ?", job.number);
    else this.#sql.exec("UPDATE resend SET after = ? WHERE number = ?", last, job.number);
    this.#slots.invalidate(job.queueId);
  }

  #requeue({ queueId, after, through }: Job, now: number, limit: number): number | null {
    const slice = `SELECT seq FROM delivery WHERE queue_id = ? AND seq > ? AND seq <= ? AND ${GIVEN_UP} ORDER BY seq LIMIT ?`;
    const end = Math.min(through, after + SLICE_SEQS);
    const last = readNumber(this.#sql, `SELECT max(seq) FROM (${slice})`, queueId, after, end, limit);
    if (last === null) return end < through ? end : null;
    this.#sql.exec(`UPDATE delivery SET ${REQUEUE} WHERE queue_id = ? AND seq > ? AND seq <= ? AND ${GIVEN_UP}`, now, queueId, after, last);
    return last;
  }
}
