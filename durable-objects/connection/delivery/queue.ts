// The deliveries themselves: stored with their event, claimed for an attempt, settled after it. All of it is synchronous, so
// that everything of one moment is one commit.
import type { NextStep } from "../../../src/domain/webhooks/delivery.ts";
import { DAY_MS } from "../../../src/protocol/units.ts";

/** As stored. `due_at` is when the next attempt is due, in flight the end of the lease, and null once settled. */
export const STATE = { fresh: 0, retry: 1, inFlight: 2, delivered: 3, failed: 4, skipped: 5 } as const;

/** Whether it was never tried yet or waits for a retry. */
export type Waiting = typeof STATE.fresh | typeof STATE.retry;

/**
 * One delivery of an event, to be stored. `skipped`: it is only kept to be resent. `leaseUntil`: its first attempt is as good as begun;
 * null: it waits.
 */
export type NewCopy = { id: string; lane: number; skipped: boolean; leaseUntil: number | null };

/** An attempt to make. `attempt` counts those begun, this one included; `text` is the frozen body without its id. */
export type Claim = {
  seq: number;
  id: string;
  lane: number;
  type: string;
  attempt: number;
  failures: number;
  log: string | null;
  text: string;
};

/** `skipped`: no attempt follows, because the receiver is disabled. */
export type Ending = NextStep | { state: "skipped" };

/** How an attempt ended. `failures` is the delivery's count with this attempt in it. */
export type Settlement = {
  claim: Claim;
  ending: Ending;
  failures: number;
  httpStatus: number | null;
  error: string | null;
  latencyMs: number;
  endedAt: number;
};

/** `[ended at (Unix ms), HTTP status, latency (ms), error]` per finished attempt. */
export type AttemptLog = readonly [at: number, httpStatus: number | null, latencyMs: number, error: string | null];

/** How long deliveries are listed (docs/delivery.md, "Retention and bounds"). */
export const HISTORY_MS = 7 * DAY_MS;

/** An accepted body is of use only for a resend of the same day. */
export const ACCEPTED_BODY_MS = DAY_MS;

const MOST_CLAIMED_CHARACTERS = 4_000_000;
const MOST_LOGGED_ATTEMPTS = 50;
const ORPHAN = { minMs: 1_000, spreadMs: 4_000 } as const;

export class Queue {
  readonly #sql: SqlStorage;
  #next: number;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    const highest = "SELECT max(ifnull((SELECT max(seq) FROM delivery), 0), ifnull((SELECT max(seq) FROM body), 0)) AS seq";
    this.#next = sql.exec<{ seq: number }>(highest).one().seq + 1;
  }

  /**
   * Whatever was in flight when this instance started is nobody's: no other instance can still write to this storage. It is due
   * soon, spread so that receivers are not hit at once. (So no row needs to say which instance claimed it.)
   */
  adoptOrphans(now: number): void {
    this.#sql.exec(
      `UPDATE delivery SET state = CASE failures WHEN 0 THEN ${STATE.fresh} ELSE ${STATE.retry} END, due_at = ? + seq * 7919 % ?
       WHERE state = ${STATE.inFlight} AND due_at IS NOT NULL`,
      now + ORPHAN.minMs,
      ORPHAN.spreadMs,
    );
  }

  /** Gives back what is in flight for longer than an attempt can be; answers the lanes it was in. */
  reclaimExpired(now: number): number[] {
    return this.#sql
      .exec<{ lane: number }>(
        `UPDATE delivery SET state = CASE failures WHEN 0 THEN ${STATE.fresh} ELSE ${STATE.retry} END, due_at = ?
         WHERE state = ${STATE.inFlight} AND due_at <= ? RETURNING lane`,
        now,
        now,
      )
      .toArray()
      .map(({ lane }) => lane);
  }

  /** Stores an event's deliveries and answers them; ids that are known already make nothing new. */
  add(type: string, text: string, copies: readonly NewCopy[], now: number): (NewCopy & { seq: number })[] {
    const body = this.#next;
    const stored: (NewCopy & { seq: number })[] = [];
    for (const copy of copies) {
      const seq = this.#next;
      const { id, lane, skipped, leaseUntil } = copy;
      const { rowsWritten } = this.#sql.exec(
        `INSERT INTO delivery (seq, id, lane, body, size, type, created_at, state, attempts, due_at, error, settled_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
        seq,
        id,
        lane,
        body,
        text.length,
        type,
        now,
        skipped ? STATE.skipped : leaseUntil === null ? STATE.fresh : STATE.inFlight,
        leaseUntil === null ? 0 : 1,
        skipped ? null : (leaseUntil ?? now),
        skipped ? "webhook_disabled" : null,
        skipped ? now : null,
      );
      if (rowsWritten > 0) stored.push({ ...copy, seq });
      this.#next += 1;
    }
    if (stored.length > 0)
      this.#sql.exec("INSERT INTO body (seq, copies, created_at, text) VALUES (?, ?, ?, ?)", body, this.#next - body, now, text);
    return stored;
  }

  /** Claims up to `limit` due deliveries of a lane, longest due first; fewer when they are large. */
  claim(lane: number, state: Waiting, limit: number, now: number, leaseUntil: number): Claim[] {
    const claims: Claim[] = [];
    let characters = 0;
    const due = this.#sql.exec<Claim>(
      `SELECT delivery.seq, id, lane, type, attempts + 1 AS attempt, failures, log, text FROM delivery JOIN body ON body.seq = delivery.body
         WHERE state = ? AND lane = ? AND due_at <= ? ORDER BY due_at LIMIT ?`,
      state,
      lane,
      now,
      limit,
    );
    for (const claim of due) {
      claims.push(claim);
      characters += claim.text.length;
      if (characters > MOST_CLAIMED_CHARACTERS) break;
    }
    if (claims.length > 0) {
      this.#sql.exec(
        `UPDATE delivery SET state = ${STATE.inFlight}, attempts = attempts + 1, due_at = ? WHERE seq IN (SELECT value FROM json_each(?))`,
        leaseUntil,
        JSON.stringify(claims.map(({ seq }) => seq)),
      );
    }
    return claims;
  }

  /** When the lane's next delivery of that kind is due; null when none waits. */
  dueAt(lane: number, state: Waiting): number | null {
    return this.#sql
      .exec<{ due: number | null }>(
        "SELECT min(due_at) AS due FROM delivery WHERE state = ? AND lane = ? AND due_at IS NOT NULL",
        state,
        lane,
      )
      .one().due;
  }

  /** Writes down how an attempt ended. A late end of an expired lease changes nothing, unless it delivered after all. */
  settle({ claim, ending, failures, httpStatus, error, latencyMs, endedAt }: Settlement): void {
    const log = logged(claim.log, [endedAt, httpStatus, latencyMs, error]);
    const [dueAt, settledAt] = ending.state === "waiting" ? [ending.dueAt, null] : [null, endedAt];
    const written = this.#sql.exec(
      `UPDATE delivery SET state = ?, failures = ?, due_at = ?, http_status = ?, error = ?, settled_at = ?, log = ?
       WHERE seq = ? AND state = ${STATE.inFlight} AND attempts = ?`,
      ENDED[ending.state],
      failures,
      dueAt,
      httpStatus,
      error,
      settledAt,
      log,
      claim.seq,
      claim.attempt,
    ).rowsWritten;
    if (ending.state !== "delivered") return;
    if (claim.attempt > 1) this.#dropOldBody(claim, endedAt);
    if (written > 0) return;
    this.#sql.exec(
      `UPDATE delivery SET state = ${STATE.delivered}, due_at = NULL, http_status = ?, error = NULL, settled_at = ?, log = ?
       WHERE seq = ? AND state <> ${STATE.delivered}`,
      httpStatus,
      endedAt,
      log,
      claim.seq,
    );
  }

  /** A body that was accepted by all only after its day is of no more use. */
  #dropOldBody(claim: Claim, now: number): void {
    this.#sql.exec(
      `DELETE FROM body WHERE seq = (SELECT body FROM delivery WHERE seq = ?) AND created_at <= ? AND NOT EXISTS (
         SELECT 1 FROM delivery WHERE seq >= body.seq AND seq < body.seq + body.copies AND state <> ${STATE.delivered})`,
      claim.seq,
      now - ACCEPTED_BODY_MS,
    );
  }

  /** Ends an attempt that we broke off ourselves, as if it had not begun. */
  withdraw(claim: Claim, now: number): void {
    this.#sql.exec(
      `UPDATE delivery SET state = CASE failures WHEN 0 THEN ${STATE.fresh} ELSE ${STATE.retry} END, attempts = attempts - 1, due_at = ?
       WHERE seq = ? AND state = ${STATE.inFlight} AND attempts = ?`,
      now,
      claim.seq,
      claim.attempt,
    );
  }
}

const ENDED = { delivered: STATE.delivered, failed: STATE.failed, skipped: STATE.skipped, waiting: STATE.retry } as const;

function logged(log: string | null, entry: AttemptLog): string {
  if (log === null) return JSON.stringify([entry]);
  return JSON.stringify([...attemptsOf(log), entry].slice(-MOST_LOGGED_ATTEMPTS));
}

/** The attempts that a row's `log` holds; written by this file alone. */
export function attemptsOf(log: string | null): AttemptLog[] {
  return log === null ? [] : (JSON.parse(log) as AttemptLog[]);
}
