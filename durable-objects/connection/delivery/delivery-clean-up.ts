// Retention and clean-up of the delivery tables, in slices to keep each run short.
import { notAhead } from "@gateway/domain/clock-set-back.ts";
import { type Endpoints, isClosed } from "./endpoints.ts";
import type { AttemptSlots } from "./attempt-slots.ts";
import type { Notices } from "./notices.ts";
import type { Tally } from "../statistics/counters.ts";
import { ACCEPTED_BODY_RETENTION_MS, giveUp, HISTORY_RETENTION_MS, STATE, WAITED_BEFORE } from "./states.ts";
import type { StoredTimes } from "../../shared/stored-times.ts";
import type { Resends } from "./resends.ts";
import type { Secrets } from "./secrets.ts";
import type { Grid } from "@gateway/domain/spread.ts";
import { HOUR_MS, earliest } from "@gateway/protocol/units.ts";
import { readNumber } from "../../shared/read-number.ts";

const SLICE_ROWS = 500;
/** Maximum number of rows scanned per run in search of a removed queue's deliveries, because there is no index by queue. */
const SEARCHED_ROWS = 20_000;

const IDLE_UNTIL = "deliveries_idle";

type Dependencies = {
  counters: Tally;
  endpoints: Endpoints;
  secrets: Secrets;
  slots: AttemptSlots;
  notices: Notices;
  resends: Resends;
  times: StoredTimes;
};

export class DeliveryCleanUp {
  readonly #sql: SqlStorage;
  readonly #deps: Dependencies;
  readonly #hours: Grid;
  #nextExpiryAt: number | null | undefined = undefined;
  #clearedThrough = 0;

  constructor(sql: SqlStorage, deps: Dependencies, hours: Grid) {
    this.#sql = sql;
    this.#hours = hours;
    this.#deps = deps;
  }

  stored(): void {
    if (this.#nextExpiryAt === null) this.#nextExpiryAt = undefined;
  }

  clockSetBack(): void {
    this.#deps.secrets.load();
    this.#nextExpiryAt = undefined;
  }

  nextDue(now: number): number | null {
    if (this.#hasSlices()) return now;
    if (this.#nextExpiryAt === undefined) this.#nextExpiryAt = this.#readNextExpiry();
    return this.#nextExpiryAt === null ? null : Math.max(this.#nextExpiryAt, this.#idleUntil(now));
  }

  run(now: number): void {
    this.#clearRemovedQueue();
    this.#skipClosedQueues(now);
    this.#deps.resends.runSlice(now, SLICE_ROWS);
    if ((this.nextDue(now) ?? Number.POSITIVE_INFINITY) > now) return;
    this.#deps.secrets.dropExpired(now);
    const dropped = this.#dropHistory(now) + this.#dropAcceptedBodies(now);
    this.#nextExpiryAt = undefined;
    // Expired rows that are being resent cannot be deleted yet, so they are checked again in an hour.
    if (dropped === 0) this.#deps.times.set(IDLE_UNTIL, now + HOUR_MS);
  }

  #idleUntil(now: number): number {
    return notAhead(this.#deps.times.get(IDLE_UNTIL) ?? 0, HOUR_MS, now);
  }

  #hasSlices(): boolean {
    for (const _queue of this.#deps.endpoints.removedQueues()) return true;
    if (this.#deps.resends.hasJobs) return true;
    for (const endpoint of this.#deps.endpoints.all()) if (isClosed(endpoint) && this.#deps.slots.hasWaiting(endpoint.queueId)) return true;
    return false;
  }

  #clearRemovedQueue(): void {
    for (const queueId of this.#deps.endpoints.removedQueues()) {
      if (this.#clearSlice(queueId)) return;
      this.#clearedThrough = 0;
      this.#deps.notices.forget(queueId);
      this.#deps.slots.forget(queueId);
      this.#deps.endpoints.forget(queueId);
      return;
    }
  }

  #clearSlice(queueId: number): boolean {
    const slice = `SELECT seq FROM delivery WHERE seq > ? ORDER BY seq LIMIT ${SEARCHED_ROWS}`;
    const last = readNumber(this.#sql, `SELECT max(seq) FROM (${slice})`, this.#clearedThrough);
    if (last === null) return false;
    const found = this.#sql
      .exec<{ seq: number }>(
        `SELECT seq FROM delivery WHERE seq > ? AND seq <= ? AND queue_id = ? ORDER BY seq LIMIT ${SLICE_ROWS}`,
        this.#clearedThrough,
        last,
        queueId,
      )
      .toArray()
      .map(({ seq }) => seq);
    this.#sql.exec("DELETE FROM delivery WHERE seq IN (SELECT value FROM json_each(?))", JSON.stringify(found));
    this.#clearedThrough = found.length < SLICE_ROWS ? last : (found.at(-1) ?? last);
    return true;
  }

  /** Skipped deliveries stay in the history and can be resent. Pending resends return to their earlier state. */
  #skipClosedQueues(now: number): void {
    for (const endpoint of this.#deps.endpoints.all()) {
      if (!isClosed(endpoint) || !this.#deps.slots.hasWaiting(endpoint.queueId)) continue;
      for (const state of [STATE.fresh, STATE.retry]) {
        const slice = this.#sql
          .exec<{ seq: number; waited: number }>(
            `SELECT seq, ${WAITED_BEFORE} AS waited FROM delivery WHERE state = ? AND queue_id = ? AND due_at IS NOT NULL LIMIT ?`,
            state,
            endpoint.queueId,
            SLICE_ROWS,
          )
          .toArray();
        this.#sql.exec(
          `${giveUp(STATE.skipped, "webhook_disabled")} WHERE seq IN (SELECT value FROM json_each(?))`,
          now,
          JSON.stringify(slice.map(({ seq }) => seq)),
        );
        this.#deps.counters.add("given_up", slice.filter(({ waited }) => waited === 1).length);
      }
      this.#deps.counters.flush(now);
      this.#deps.slots.invalidate(endpoint.queueId);
    }
  }

  /** The next expiry, rounded up to the connection's slot in the next hour, so that not every expiry wakes the object. */
  #readNextExpiry(): number | null {
    const oldest = readNumber(
      this.#sql,
      "SELECT min(at) FROM (SELECT * FROM (SELECT created_at AS at FROM delivery ORDER BY seq LIMIT 1) UNION ALL SELECT * FROM (SELECT created_at FROM body ORDER BY seq LIMIT 1))",
    );
    const body = this.#sql.exec<{ at: number }>(`SELECT created_at AS at FROM (${unswept(1)})`).toArray()[0]?.at;
    const due = earliest([
      oldest === null ? null : oldest + HISTORY_RETENTION_MS,
      body === undefined ? null : body + ACCEPTED_BODY_RETENTION_MS,
      this.#deps.secrets.nextExpiry(),
    ]);
    return due === null ? null : this.#hours(due);
  }

  #dropHistory(now: number): number {
    const before = now - HISTORY_RETENTION_MS;
    const oldest = `SELECT seq FROM (SELECT seq, created_at, due_at FROM delivery ORDER BY seq LIMIT ${SLICE_ROWS}) WHERE created_at <= ? AND due_at IS NULL`;
    const { rowsWritten } = this.#sql.exec(`DELETE FROM delivery WHERE seq IN (${oldest})`, before);
    const orphans = `SELECT seq FROM (SELECT seq, copies, created_at FROM body ORDER BY seq LIMIT ${SLICE_ROWS}) AS old
       WHERE created_at <= ? AND NOT EXISTS (SELECT 1 FROM delivery WHERE seq >= old.seq AND seq < old.seq + old.copies)`;
    return rowsWritten + this.#sql.exec(`DELETE FROM body WHERE seq IN (${orphans})`, before).rowsWritten;
  }

  /** Checks every body once, a day after it was stored, and deletes bodies that every receiver has accepted. */
  #dropAcceptedBodies(now: number): number {
    const oldBodies = `SELECT max(seq) FROM (${unswept(SLICE_ROWS)}) WHERE created_at <= ?`;
    const through = readNumber(this.#sql, oldBodies, now - ACCEPTED_BODY_RETENTION_MS);
    if (through === null) return 0;
    const slice = "seq > (SELECT swept FROM delivery_upkeep) AND seq <= ?";
    this.#sql.exec(
      `DELETE FROM body WHERE ${slice} AND NOT EXISTS (
         SELECT 1 FROM delivery WHERE seq >= body.seq AND seq < body.seq + body.copies AND state <> ${STATE.delivered})`,
      through,
    );
    this.#sql.exec(`UPDATE delivery SET text = NULL WHERE ${slice} AND state = ${STATE.delivered} AND text IS NOT NULL`, through);
    return this.#sql.exec("UPDATE delivery_upkeep SET swept = ?", through).rowsWritten;
  }
}

function unswept(limit: number): string {
  const unsweptIn = (table: "body" | "delivery") =>
    `SELECT * FROM (SELECT seq, created_at FROM ${table} WHERE seq > (SELECT swept FROM delivery_upkeep) ORDER BY seq LIMIT ${limit})`;
  return `SELECT seq, created_at FROM (${unsweptIn("body")} UNION ALL ${unsweptIn("delivery")}) ORDER BY seq LIMIT ${limit}`;
}
