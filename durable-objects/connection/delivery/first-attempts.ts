// First attempts start with their event and mostly end within a second, so they are tracked in memory and not in an index. Each
// additional delivery of an event then writes 3 rows instead of 6.
import type { Participant } from "../commit-handler.ts";
import { STATE } from "./states.ts";
import { countRows } from "../../shared/read-number.ts";

type Open = { queueId: number; since: number; claimedUntil: number };

/** Attempts that started this far from the newest row's time get an index entry, so that clock changes cannot hide them. */
const MAX_AGE_MS = 60_000;
const SEARCHED_MS = 180_000;
const ORPHAN_DELAY = { minMs: 1_000, spreadMs: 4_000 } as const;

const UNINDEXED = `state = ${STATE.inFlight} AND due_at IS NULL`;

const NEWEST = "SELECT created_at FROM delivery ORDER BY seq DESC LIMIT 1";
const BEFORE_NEWEST = `ifnull((SELECT seq FROM delivery WHERE created_at < (${NEWEST}) - ${SEARCHED_MS} ORDER BY seq DESC LIMIT 1), 0)`;

export class FirstAttempts implements Participant {
  readonly #sql: SqlStorage;
  /** Open attempts by seq, oldest first. */
  readonly #open = new Map<number, Open>();
  /** Attempts that the running transaction began. */
  #begun: number[] = [];

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  get hasAny(): boolean {
    return this.#open.size > 0;
  }

  /** True if the attempt's row is still unindexed when the attempt ends at `at` (Unix ms). */
  has(seq: number, at: number): boolean {
    const attempt = this.#open.get(seq);
    return attempt !== undefined && !isFar(attempt, at);
  }

  acceptedAfter(number: number): { ended: number; settledAt: number; log: string }[] {
    return this.#sql
      .exec<{ ended: number; settledAt: number; log: string }>(
        `SELECT ended, settled_at AS settledAt, log FROM delivery WHERE seq > ${BEFORE_NEWEST} AND ended > ? ORDER BY ended`,
        number,
      )
      .toArray();
  }

  count(): number {
    if (this.#open.size === 0) return 0;
    const stored = `delivery WHERE seq IN (SELECT value FROM json_each(?)) AND ${UNINDEXED}`;
    return countRows(this.#sql, stored, JSON.stringify([...this.#open.keys()]));
  }

  /** Called before the attempt's row is stored, in the same transaction. */
  begin(seq: number, attempt: Open): void {
    this.#open.set(seq, attempt);
    this.#begun.push(seq);
  }

  committed(): void {
    this.#begun = [];
  }

  rolledBack(): void {
    this.#rollBackTo(0);
  }

  savepoint(): () => void {
    const { length } = this.#begun;
    return () => this.#rollBackTo(length);
  }

  #rollBackTo(begun: number): void {
    for (const seq of this.#begun.splice(begun)) this.#open.delete(seq);
  }

  /** Indexes attempts too far from the newest row to be found after a crash. Called just before new rows are stored, in the same block. */
  index(now: number): void {
    for (const [seq, attempt] of this.#open) {
      // The attempt also stays in memory, because this block may be rolled back.
      if (isFar(attempt, now)) this.#sql.exec(`UPDATE delivery SET due_at = ? WHERE seq = ? AND ${UNINDEXED}`, attempt.claimedUntil, seq);
    }
  }

  end(seq: number): void {
    this.#open.delete(seq);
  }

  /** Puts attempts with an expired claim back into the queue and returns their queues. */
  reclaimExpired(now: number): number[] {
    const expired = this.#expired(now);
    this.#requeue(expired, now);
    return expired.flatMap((seq) => {
      const queueId = this.#open.get(seq)?.queueId;
      this.#open.delete(seq);
      return queueId ?? [];
    });
  }

  /** Requeues first attempts from an earlier instance, spread over time like all orphans (`Queue.reclaimOrphans`). */
  reclaimOrphans(now: number): void {
    this.#sql.exec(
      `UPDATE delivery SET state = ${STATE.fresh}, due_at = ${orphanDue("?")} WHERE seq > ${BEFORE_NEWEST} AND ${UNINDEXED}`,
      now,
    );
  }

  #expired(now: number): number[] {
    return [...this.#open].filter(([, { claimedUntil }]) => claimedUntil <= now).map(([seq]) => seq);
  }

  #requeue(seqs: readonly number[], now: number): void {
    if (seqs.length === 0) return;
    this.#sql.exec(
      `UPDATE delivery SET state = ${STATE.fresh}, due_at = ? WHERE seq IN (SELECT value FROM json_each(?)) AND ${UNINDEXED}`,
      now,
      JSON.stringify(seqs),
    );
  }
}

function isFar({ since }: Open, at: number): boolean {
  return Math.abs(at - since) > MAX_AGE_MS;
}

export function orphanDue(now: string): string {
  return `${now} + ${ORPHAN_DELAY.minMs} + seq * 7919 % ${ORPHAN_DELAY.spreadMs}`;
}
