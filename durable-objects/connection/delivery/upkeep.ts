// What keeps the tables small and truthful, in slices, so that no single moment is long.
import { type Endpoints, isClosed } from "./endpoints.ts";
import type { Lanes } from "./lanes.ts";
import type { Notices } from "./notices.ts";
import { ACCEPTED_BODY_MS, HISTORY_MS, STATE } from "./queue.ts";
import type { Resends } from "./resends.ts";
import type { Secrets } from "./secrets.ts";
import { HOUR_MS } from "../../../src/protocol/units.ts";

const SLICE = 500;

type Kept = { endpoints: Endpoints; secrets: Secrets; lanes: Lanes; notices: Notices; resends: Resends };

export class Upkeep {
  readonly #sql: SqlStorage;
  readonly #parts: Kept;
  /** Known until something is stored where nothing was, or this ran. */
  #oldAt: number | null | undefined = undefined;
  #stuckUntil = 0;

  constructor(sql: SqlStorage, parts: Kept) {
    this.#sql = sql;
    this.#parts = parts;
  }

  /** Deliveries were stored: there is now something that grows old. */
  stored(): void {
    if (this.#oldAt === null) this.#oldAt = undefined;
  }

  nextDue(now: number): number | null {
    if (this.#hasSlices()) return now;
    this.#oldAt ??= this.#oldAt === undefined ? this.#growsOldAt() : null;
    return this.#oldAt === null ? null : Math.max(this.#oldAt, this.#stuckUntil);
  }

  run(now: number): void {
    this.#clearRemovedLane();
    this.#skipClosedLanes(now);
    this.#parts.resends.slice(now, SLICE);
    if ((this.nextDue(now) ?? Number.POSITIVE_INFINITY) > now) return;
    this.#parts.secrets.dropExpired(now);
    const dropped = this.#dropHistory(now) + this.#dropAcceptedBodies(now);
    this.#oldAt = undefined;
    // Old rows that still wait (they were resent) stay; nothing is gained by looking at them again at once.
    if (dropped === 0) this.#stuckUntil = now + HOUR_MS;
  }

  #hasSlices(): boolean {
    for (const _lane of this.#parts.endpoints.removedLanes()) return true;
    if (this.#parts.resends.wanted) return true;
    for (const endpoint of this.#parts.endpoints.all()) if (isClosed(endpoint) && this.#waits(endpoint.lane)) return true;
    return false;
  }

  #waits(lane: number): boolean {
    return this.#parts.lanes.dueAt(lane, STATE.fresh) !== null || this.#parts.lanes.dueAt(lane, STATE.retry) !== null;
  }

  #clearRemovedLane(): void {
    for (const lane of this.#parts.endpoints.removedLanes()) {
      const cleared = this.#sql.exec("DELETE FROM delivery WHERE seq IN (SELECT seq FROM delivery WHERE lane = ? LIMIT ?)", lane, SLICE);
      if (cleared.rowsWritten > 0) return;
      this.#parts.notices.forget(lane);
      this.#parts.lanes.forget(lane);
      this.#parts.endpoints.forget(lane);
      return;
    }
  }

  /** Visible, and able to be resent: nothing waits for a receiver that is not to be tried. */
  #skipClosedLanes(now: number): void {
    for (const endpoint of this.#parts.endpoints.all()) {
      if (!isClosed(endpoint) || !this.#waits(endpoint.lane)) continue;
      for (const state of [STATE.fresh, STATE.retry]) {
        this.#sql.exec(
          `UPDATE delivery SET state = ${STATE.skipped}, error = 'webhook_disabled', due_at = NULL, settled_at = ?
           WHERE seq IN (SELECT seq FROM delivery WHERE state = ? AND lane = ? AND due_at IS NOT NULL LIMIT ?)`,
          now,
          state,
          endpoint.lane,
          SLICE,
        );
      }
      this.#parts.lanes.changed(endpoint.lane);
    }
  }

  /** Rounded up, so that a trickle of events does not wake the object for each of them. */
  #growsOldAt(): number | null {
    const oldest = this.#sql
      .exec<{ at: number | null }>(
        "SELECT min(at) AS at FROM (SELECT * FROM (SELECT created_at AS at FROM delivery ORDER BY seq LIMIT 1) UNION ALL SELECT * FROM (SELECT created_at FROM body ORDER BY seq LIMIT 1))",
      )
      .one().at;
    const body = this.#sql
      .exec<{ at: number }>("SELECT created_at AS at FROM body WHERE seq > (SELECT swept FROM delivery_upkeep) ORDER BY seq LIMIT 1")
      .toArray()[0]?.at;
    const times = [
      oldest === null ? null : oldest + HISTORY_MS,
      body === undefined ? null : body + ACCEPTED_BODY_MS,
      this.#parts.secrets.nextExpiry(),
    ].filter((time) => time !== null);
    return times.length === 0 ? null : Math.ceil(Math.min(...times) / HOUR_MS) * HOUR_MS;
  }

  #dropHistory(now: number): number {
    const before = now - HISTORY_MS;
    const oldest = `SELECT seq FROM (SELECT seq, created_at, due_at FROM delivery ORDER BY seq LIMIT ${SLICE}) WHERE created_at <= ? AND due_at IS NULL`;
    const { rowsWritten } = this.#sql.exec(`DELETE FROM delivery WHERE seq IN (${oldest})`, before);
    const orphans = `SELECT seq FROM (SELECT seq, copies, created_at FROM body ORDER BY seq LIMIT ${SLICE}) AS old
       WHERE created_at <= ? AND NOT EXISTS (SELECT 1 FROM delivery WHERE seq >= old.seq AND seq < old.seq + old.copies)`;
    return rowsWritten + this.#sql.exec(`DELETE FROM body WHERE seq IN (${orphans})`, before).rowsWritten;
  }

  /** Looks at every body once, a day after it was stored: what every receiver accepted is dropped, the rest stays to be resent. */
  #dropAcceptedBodies(now: number): number {
    const slice = `SELECT seq, copies, created_at FROM body WHERE seq > (SELECT swept FROM delivery_upkeep) ORDER BY seq LIMIT ${SLICE}`;
    const { through } = this.#sql
      .exec<{ through: number | null }>(`SELECT max(seq) AS through FROM (${slice}) WHERE created_at <= ?`, now - ACCEPTED_BODY_MS)
      .one();
    if (through === null) return 0;
    this.#sql.exec(
      `DELETE FROM body WHERE seq IN (SELECT seq FROM (${slice}) AS old WHERE seq <= ? AND NOT EXISTS (
         SELECT 1 FROM delivery WHERE seq >= old.seq AND seq < old.seq + old.copies AND state <> ${STATE.delivered}))`,
      through,
    );
    return this.#sql.exec("UPDATE delivery_upkeep SET swept = ?", through).rowsWritten;
  }
}
