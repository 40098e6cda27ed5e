// First attempts that begin with their event. Their rows have no entry in the index by due time, since most of them end within a
// second: this memory knows them, and after a crash they are found among the newest rows.
import { STATE } from "../delivery/states.ts";

type Open = { lane: number; since: number; leaseUntil: number };

/** Whatever the clock does: when a row is stored whose time is further from theirs, they get into the index. */
const MAX_AGE_MS = 60_000;
/** So that a crash leaves them among the rows of so long. */
const SEARCHED_MS = 180_000;
const ORPHAN_DELAY = { minMs: 1_000, spreadMs: 4_000 } as const;

const UNINDEXED = `state = ${STATE.inFlight} AND due_at IS NULL`;

const NEWEST = "SELECT created_at FROM delivery ORDER BY seq DESC LIMIT 1";
/** SQL: the last seq of those that are too old. */
const BEFORE_NEWEST = `ifnull((SELECT seq FROM delivery WHERE created_at < (${NEWEST}) - ${SEARCHED_MS} ORDER BY seq DESC LIMIT 1), 0)`;

export class FirstAttempts {
  readonly #sql: SqlStorage;
  /** By seq, oldest first; also some whose transaction was rolled back, which end with their lease. */
  readonly #open = new Map<number, Open>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  get hasAny(): boolean {
    return this.#open.size > 0;
  }

  /** Whether it has no entry in the index; `at` (Unix ms): when it has ended. */
  has(seq: number, at: number): boolean {
    const attempt = this.#open.get(seq);
    return attempt !== undefined && !isFar(attempt, at);
  }

  /** Those of the newest rows whose end was counted under a higher number. */
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
    const stored = `SELECT count(*) AS count FROM delivery WHERE seq IN (SELECT value FROM json_each(?)) AND ${UNINDEXED}`;
    return this.#sql.exec<{ count: number }>(stored, JSON.stringify([...this.#open.keys()])).one().count;
  }

  /** To be called before its row is stored, in the same block. */
  begin(seq: number, attempt: Open): void {
    this.#open.set(seq, attempt);
  }

  /** To be called before any row is stored, in the same block: gives those an entry in the index that the row would hide after a crash. */
  index(now: number): void {
    for (const [seq, attempt] of this.#open) {
      // Not forgotten yet: this block may be rolled back.
      if (isFar(attempt, now)) this.#sql.exec(`UPDATE delivery SET due_at = ? WHERE seq = ? AND ${UNINDEXED}`, attempt.leaseUntil, seq);
    }
  }

  /** The attempt has ended, or was not made. */
  end(seq: number): void {
    this.#open.delete(seq);
  }

  /** Returns those with an expired lease to the queue; answers their lanes. */
  reclaimExpired(now: number): number[] {
    const expired = this.#expired(now);
    this.#requeue(expired, now);
    return expired.flatMap((seq) => {
      const lane = this.#open.get(seq)?.lane;
      this.#open.delete(seq);
      return lane ?? [];
    });
  }

  /** Those that the instance before this one had under way are due soon, spread like all orphans (`Queue.reclaimOrphans`). */
  reclaimOrphans(now: number): void {
    this.#sql.exec(
      `UPDATE delivery SET state = ${STATE.fresh}, due_at = ${orphanDue("?")} WHERE seq > ${BEFORE_NEWEST} AND ${UNINDEXED}`,
      now,
    );
  }

  #expired(now: number): number[] {
    return [...this.#open].filter(([, { leaseUntil }]) => leaseUntil <= now).map(([seq]) => seq);
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

/** SQL: when an orphan is due; `now` is SQL too. */
export function orphanDue(now: string): string {
  return `${now} + ${ORPHAN_DELAY.minMs} + seq * 7919 % ${ORPHAN_DELAY.spreadMs}`;
}
