// The delivery table: rows are stored with their event, claimed for an attempt, and settled after it.
//
//      add │            add, with its first claim │                            │ add, receiver disabled
//          ▼                                      ▼                            ▼
//   ┌──────────────┐          claim          ┌──────────┐   settle   ┌────────────────────┐
//   │ fresh, retry │ ──────────────────────▶ │ inFlight │ ─────────▶ │ delivered, failed, │
//   │              │ ◀────────────────────── │          │            │ skipped            │
//   └──────────────┘ settle (a retry is due) └──────────┘            └────────────────────┘
//       ▲      │     unclaim, reclaimExpired, reclaimOrphans                 ▲     │
//       │      └───────────────────── skip, queue full ──────────────────────┘     │
//       └──────────────────────────────── resend ──────────────────────────────────┘
//
//   move           | made by                                                         | if the object stops before it
//   add            | `Deliveries.enqueue`, in the event's transaction                | nothing is stored, and the event comes again
//   claim          | `Dispatcher`, before the request; `attempts` grows              | the row stays due
//   settle         | `Dispatcher`, at most 25 ms after the response                  | `reclaimOrphans`: the receiver may get it twice
//   unclaim        | `Dispatcher`, attempt cancelled, unsigned or not started         | `reclaimOrphans`
//   reclaimExpired | `Deliveries.run`, after the end of the claim                    | `reclaimOrphans`
//   reclaimOrphans | `Deliveries`, when the object starts                            | the next start repeats it
//   skip           | `DeliveryCleanUp`, if the receiver is disabled or switched off  | the next alarm continues
//   queue full     | `QueueLimiter`, for the oldest rows                             | a later event checks again
//   resend         | `Resends`; a failed resend restores the earlier state           | the row keeps its state
//
// A claim is a row's `seq` and its number of attempts. `settle` and `unclaim` change a row only while it is in flight with both values.
// Afterwards, only a success counts. `FirstAttempts` keeps the first claims, which have no `due_at`.
import type { NextStep } from "@gateway/domain/webhooks/delivery.ts";
import { type FirstAttempts, orphanDue } from "./first-attempts.ts";
import { ACCEPTED_BODY_RETENTION_MS, STATE, type WaitingState } from "./states.ts";
import { countRows, readNumber } from "../../shared/read-number.ts";

export type NewCopy = {
  id: string;
  queueId: number;
  /** Stored only for a resend. */
  skipped: boolean;
  /** When the claim for its first attempt expires (Unix ms), or null. */
  claimedUntil: number | null;
};

export type Claim = {
  seq: number;
  id: string;
  queueId: number;
  type: string;
  attempt: number;
  failures: number;
  log: string | null;
  /** The serialized body without its id. */
  text: string;
  trace: string | null;
  /** State and next attempt before the resend. Null unless the delivery is being resent. */
  resentState: number | null;
  resentDueAt: number | null;
};

export function newClaim(delivery: Pick<Claim, "seq" | "id" | "queueId" | "type" | "text" | "trace">): Claim {
  return { ...delivery, attempt: 1, failures: 0, log: null, resentState: null, resentDueAt: null };
}

/** After `skipped`, no attempt follows, because the receiver is disabled. After `restored`, a failed resend has its earlier state again. */
export type Ending = NextStep | { state: "skipped" } | Restored;
type Restored = { state: "restored"; to: number; dueAt: number | null };

export type ClaimResult = {
  claim: Claim;
  ending: Ending;
  failures: number;
  httpStatus: number | null;
  error: string | null;
  latencyMs: number;
  endedAt: number;
  /** The number that `Counters.defer` returned for this result. Null if the result was counted directly. */
  ended: number | null;
};

type AcceptedEnd = { number: number; at: number; latencyMs: number };

/** `[ended at (Unix ms), HTTP status, latency (ms), error]` per finished attempt. */
export type AttemptLog = readonly [at: number, httpStatus: number | null, latencyMs: number, error: string | null];

const MAX_CLAIMED_CHARACTERS = 4_000_000;
const MAX_LOGGED_ATTEMPTS = 50;
/** A longer body is stored separately, because the row is rewritten after each attempt. */
const MAX_TEXT_IN_ROW = 16_000;

export class Queue {
  readonly #sql: SqlStorage;
  readonly #first: FirstAttempts;
  #next: number;

  constructor(sql: SqlStorage, first: FirstAttempts) {
    this.#sql = sql;
    this.#first = first;
    // Includes `swept`, because a body with a number up to it would not be deleted after a day.
    const highest = `SELECT max(ifnull((SELECT max(seq) FROM delivery), 0), ifnull((SELECT max(seq) FROM body), 0),
      (SELECT swept FROM delivery_upkeep)) AS seq`;
    this.#next = sql.exec<{ seq: number }>(highest).one().seq + 1;
  }

  /** True if first attempts are running. An alarm must then wake the object in case it is evicted. */
  get hasFirstAttempts(): boolean {
    return this.#first.hasAny;
  }

  /** Deliveries that are in flight on startup are orphans from an earlier instance. They become due again, spread over time. */
  reclaimOrphans(now: number): void {
    this.#first.reclaimOrphans(now);
    this.#sql.exec(
      `UPDATE delivery SET state = CASE failures WHEN 0 THEN ${STATE.fresh} ELSE ${STATE.retry} END, due_at = ${orphanDue("?")}
       WHERE state = ${STATE.inFlight} AND due_at IS NOT NULL`,
      now,
    );
  }

  /** Puts deliveries with an expired claim back into the queue and returns their queues. */
  reclaimExpired(now: number): number[] {
    const indexed = this.#sql
      .exec<{ queueId: number }>(
        `UPDATE delivery SET state = CASE failures WHEN 0 THEN ${STATE.fresh} ELSE ${STATE.retry} END, due_at = ?
         WHERE state = ${STATE.inFlight} AND due_at <= ? RETURNING queue_id AS queueId`,
        now,
        now,
      )
      .toArray()
      .map(({ queueId }) => queueId);
    return [...indexed, ...this.#first.reclaimExpired(now)];
  }

  /** Stores an event's deliveries and returns the new ones. Known ids are ignored. */
  add(type: string, text: string, copies: readonly NewCopy[], now: number, trace: string | null = null): (NewCopy & { seq: number })[] {
    const body = this.#next;
    const stored: (NewCopy & { seq: number })[] = [];
    const inRow = copies.length === 1 && text.length <= MAX_TEXT_IN_ROW;
    this.#first.index(now);
    for (const copy of copies) {
      const seq = this.#next;
      const { id, queueId, skipped, claimedUntil } = copy;
      if (claimedUntil !== null) this.#first.begin(seq, { queueId, since: now, claimedUntil });
      const { rowsWritten } = this.#sql.exec(
        `INSERT INTO delivery (seq, id, queue_id, body, size, type, created_at, state, attempts, due_at, error, settled_at, trace, text)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
        seq,
        id,
        queueId,
        body,
        text.length,
        type,
        now,
        skipped ? STATE.skipped : claimedUntil === null ? STATE.fresh : STATE.inFlight,
        claimedUntil === null ? 0 : 1,
        skipped || claimedUntil !== null ? null : now,
        skipped ? "webhook_disabled" : null,
        skipped ? now : null,
        inRow ? trace : null,
        inRow ? text : null,
      );
      if (rowsWritten > 0) stored.push({ ...copy, seq });
      else this.#first.end(seq);
      this.#next += 1;
    }
    if (stored.length > 0 && !inRow)
      this.#sql.exec(
        "INSERT INTO body (seq, copies, created_at, text, trace) VALUES (?, ?, ?, ?, ?)",
        body,
        this.#next - body,
        now,
        text,
        trace,
      );
    return stored;
  }

  isFirstAttempt(claim: Claim, endedAt: number): boolean {
    return this.#first.has(claim.seq, endedAt);
  }

  acceptedAfter(number: number): AcceptedEnd[] {
    return this.#first.acceptedAfter(number).map(({ ended, settledAt, log }) => ({
      number: ended,
      at: settledAt,
      latencyMs: attemptsOf(log).at(-1)?.[2] ?? 0,
    }));
  }

  /** Claims the longest overdue deliveries that are due at `from` or later. Large bodies reduce their number below `limit`. */
  claim(queueId: number, state: WaitingState, limit: number, now: number, claimedUntil: number, from = 0): Claim[] {
    const claims: Claim[] = [];
    let characters = 0;
    const due = this.#sql.exec<Claim>(
      `SELECT delivery.seq, id, queue_id AS queueId, type, attempts + 1 AS attempt, failures, log, ifnull(delivery.text, body.text) AS text,
         iif(delivery.text IS NULL, body.trace, delivery.trace) AS trace, resent_state AS resentState, resent_due_at AS resentDueAt
         FROM delivery LEFT JOIN body ON body.seq = delivery.body
         WHERE state = ? AND queue_id = ? AND due_at >= ? AND due_at <= ? ORDER BY due_at LIMIT ?`,
      state,
      queueId,
      from,
      now,
      limit,
    );
    for (const claim of due) {
      claims.push(claim);
      characters += claim.text.length;
      if (characters > MAX_CLAIMED_CHARACTERS) break;
    }
    if (claims.length > 0) {
      this.#sql.exec(
        `UPDATE delivery SET state = ${STATE.inFlight}, attempts = attempts + 1, due_at = ? WHERE seq IN (SELECT value FROM json_each(?))`,
        claimedUntil,
        JSON.stringify(claims.map(({ seq }) => seq)),
      );
    }
    return claims;
  }

  /** When the queue's next delivery of this kind is due, ignoring those due before `from`. Null if none is waiting. */
  dueAt(queueId: number, state: WaitingState, from = 0): number | null {
    return readNumber(this.#sql, "SELECT min(due_at) FROM delivery WHERE state = ? AND queue_id = ? AND due_at >= ?", state, queueId, from);
  }

  waiting(): number {
    return countRows(this.#sql, "delivery WHERE due_at IS NOT NULL") + this.#first.count();
  }

  /** Once the claim has expired, only a success counts. Returns the final state, but only in the call that first reaches it. */
  settle({ claim, ending, failures, httpStatus, error, latencyMs, endedAt, ended }: ClaimResult): "delivered" | "given_up" | null {
    const log = appendAttempt(claim.log, [endedAt, httpStatus, latencyMs, error]);
    if (ending.state === "restored") {
      this.#restore(claim, ending, { httpStatus, error, log });
      return null;
    }
    const [dueAt, settledAt] = ending.state === "waiting" ? [ending.dueAt, null] : [null, endedAt];
    const written = this.#sql.exec(
      `UPDATE delivery SET state = ?, failures = ?, due_at = ?, http_status = ?, error = ?, settled_at = ?, log = ?,
         resent_state = NULL, resent_due_at = NULL, text = iif(? = ${STATE.delivered} AND created_at <= ?, NULL, text), ended = ?
       WHERE seq = ? AND state = ${STATE.inFlight} AND attempts = ?`,
      STATE_AFTER[ending.state],
      failures,
      dueAt,
      httpStatus,
      error,
      settledAt,
      log,
      STATE_AFTER[ending.state],
      endedAt - ACCEPTED_BODY_RETENTION_MS,
      ended,
      claim.seq,
      claim.attempt,
    ).rowsWritten;
    // Ends the first attempt after the write. If the disk is full, the claim stays until it expires, and the delivery is then due again.
    this.#first.end(claim.seq);
    if (ending.state !== "delivered") return written > 0 && ending.state !== "waiting" ? "given_up" : null;
    if (claim.attempt > 1) this.#dropOldBody(claim, endedAt);
    if (written > 0) return claim.resentState === STATE.delivered ? null : "delivered";
    const [row] = this.#sql
      .exec<{ state: number; resent_state: number | null }>("SELECT state, resent_state FROM delivery WHERE seq = ?", claim.seq)
      .toArray();
    if (row === undefined || row.state === STATE.delivered) return null;
    this.#sql.exec(
      `UPDATE delivery SET state = ${STATE.delivered}, due_at = NULL, http_status = ?, error = NULL, settled_at = ?, log = ?,
         resent_state = NULL, resent_due_at = NULL, text = iif(created_at <= ?, NULL, text) WHERE seq = ?`,
      httpStatus,
      endedAt,
      log,
      endedAt - ACCEPTED_BODY_RETENTION_MS,
      claim.seq,
    );
    return row.resent_state === STATE.delivered ? null : "delivered";
  }

  /** A delivery accepted before keeps the accepting response. The failed resend then appears only in the row's `log`. */
  #restore(claim: Claim, { to, dueAt }: Restored, attempt: { httpStatus: number | null; error: string | null; log: string }): void {
    this.#sql.exec(
      `UPDATE delivery SET state = ?, due_at = ?, resent_state = NULL, resent_due_at = NULL, log = ?,
         http_status = iif(resent_state = ${STATE.delivered}, http_status, ?), error = iif(resent_state = ${STATE.delivered}, error, ?)
       WHERE seq = ? AND state = ${STATE.inFlight} AND attempts = ?`,
      to,
      dueAt,
      attempt.log,
      attempt.httpStatus,
      attempt.error,
      claim.seq,
      claim.attempt,
    );
  }

  /** Deletes a body that is past its retention once its last delivery is accepted. */
  #dropOldBody(claim: Claim, now: number): void {
    this.#sql.exec(
      `DELETE FROM body WHERE seq = (SELECT body FROM delivery WHERE seq = ?) AND created_at <= ? AND NOT EXISTS (
         SELECT 1 FROM delivery WHERE seq >= body.seq AND seq < body.seq + body.copies AND state <> ${STATE.delivered})`,
      claim.seq,
      now - ACCEPTED_BODY_RETENTION_MS,
    );
  }

  unclaim(claim: Claim, now: number): void {
    this.#sql.exec(
      `UPDATE delivery SET state = CASE failures WHEN 0 THEN ${STATE.fresh} ELSE ${STATE.retry} END, attempts = attempts - 1, due_at = ?
       WHERE seq = ? AND state = ${STATE.inFlight} AND attempts = ?`,
      now,
      claim.seq,
      claim.attempt,
    );
    this.#first.end(claim.seq);
  }
}

const STATE_AFTER = { delivered: STATE.delivered, failed: STATE.failed, skipped: STATE.skipped, waiting: STATE.retry } as const;

function appendAttempt(log: string | null, entry: AttemptLog): string {
  if (log === null) return JSON.stringify([entry]);
  return JSON.stringify([...attemptsOf(log), entry].slice(-MAX_LOGGED_ATTEMPTS));
}

export function attemptsOf(log: string | null): AttemptLog[] {
  return log === null ? [] : (JSON.parse(log) as AttemptLog[]);
}
