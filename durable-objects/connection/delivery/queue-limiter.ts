// Limits how many deliveries a queue stores. The oldest ones are given up first.
import type { Participant } from "../commit-handler.ts";
import type { AttemptSlots } from "./attempt-slots.ts";
import type { Endpoints } from "./endpoints.ts";
import type { DeliveryHost, QueueLimits } from "./delivery-host.ts";
import { giveUp, STATE, WAITED_BEFORE } from "./states.ts";

const DEFAULT_LIMITS: QueueLimits = { rows: 500_000, bytes: 1_000_000_000 };
const CHECK_EVERY_ROWS = 1_000;
const SLICE_ROWS = 1_000;

const WAITING = `state IN (${STATE.fresh}, ${STATE.retry})`;
/** A disabled queue's deliveries that can be resent. `DeliveryCleanUp` marks the waiting ones as skipped. */
const RESENDABLE = `state IN (${STATE.fresh}, ${STATE.retry}, ${STATE.skipped})`;

type Load = { rows: number; size: number };

export class QueueLimiter implements Participant {
  readonly #host: DeliveryHost;
  readonly #limits: QueueLimits;
  readonly #endpoints: Endpoints;
  readonly #slots: AttemptSlots;
  /** For each queue, the seq from which its waiting deliveries are counted. The limit has already ended all earlier ones. */
  readonly #floors = new Map<number, number>();
  /** The load of disabled queues, and the number of events after which it is counted again. Cleanup reduces the load. */
  readonly #skipped = new Map<number, Load & { recountIn: number }>();
  #unchecked = 0;

  constructor(host: DeliveryHost, endpoints: Endpoints, slots: AttemptSlots) {
    this.#host = host;
    this.#limits = host.limits ?? DEFAULT_LIMITS;
    this.#endpoints = endpoints;
    this.#slots = slots;
  }

  /** Returns true if a disabled queue has space. Without an index, the rows are counted only every `CHECK_EVERY_ROWS` events. */
  hasSpaceFor(queueId: number): boolean {
    if (this.#hasSpace()) return true;
    let load = this.#skipped.get(queueId);
    if (load === undefined || load.recountIn === 0) {
      load = { ...this.#load(queueId, 0, RESENDABLE), recountIn: CHECK_EVERY_ROWS };
      this.#skipped.set(queueId, load);
    }
    load.recountIn -= 1;
    return load.rows < this.#limits.rows && load.size < this.#limits.bytes;
  }

  noteSkipped(queueId: number, size: number): void {
    const load = this.#skipped.get(queueId);
    if (load === undefined) return;
    load.rows += 1;
    load.size += size;
  }

  rolledBack(): void {
    this.#floors.clear();
    this.#skipped.clear();
  }

  savepoint(): () => void {
    return () => this.rolledBack();
  }

  /** A cheap check of the whole table. While it returns true, no queue can exceed its limit. */
  #hasSpace(): boolean {
    const { sql } = this.#host;
    const span = "SELECT ifnull((SELECT max(seq) FROM delivery) - (SELECT min(seq) FROM delivery), 0) AS span";
    return sql.databaseSize < this.#limits.bytes && sql.exec<{ span: number }>(span).one().span < this.#limits.rows;
  }

  /** Called for all stored deliveries. Enforces the limits every `CHECK_EVERY_ROWS` rows. */
  checkAfterStoring(count: number, now: number): void {
    this.#unchecked += count;
    if (this.#unchecked < Math.min(CHECK_EVERY_ROWS, this.#limits.rows)) return;
    this.#unchecked = 0;
    if (this.#hasSpace()) return;
    for (const { queueId } of this.#endpoints.all()) this.#enforce(queueId, now);
  }

  #load(queueId: number, from: number, which: string): Load {
    const load = `SELECT count(*) AS rows, ifnull(sum(size), 0) AS size FROM delivery WHERE queue_id = ? AND seq >= ? AND ${which}`;
    return this.#host.sql.exec<Load>(load, queueId, from).one();
  }

  #enforce(queueId: number, now: number): void {
    const { counters, sql, log } = this.#host;
    let { rows, size } = this.#load(queueId, this.#floors.get(queueId) ?? 0, WAITING);
    let givenUp = 0;
    while (rows > this.#limits.rows || size > this.#limits.bytes) {
      const oldest = sql
        .exec<{ seq: number; size: number; waited: number }>(
          `SELECT seq, size, ${WAITED_BEFORE} AS waited FROM delivery WHERE queue_id = ? AND seq >= ? AND ${WAITING} ORDER BY seq LIMIT ${SLICE_ROWS}`,
          queueId,
          this.#floors.get(queueId) ?? 0,
        )
        .toArray();
      for (const row of oldest) {
        if (rows <= this.#limits.rows && size <= this.#limits.bytes) break;
        sql.exec(`${giveUp(STATE.failed, "queue_full")} WHERE seq = ?`, now, row.seq);
        this.#floors.set(queueId, row.seq + 1);
        rows -= 1;
        size -= row.size;
        counters.add("given_up", row.waited);
        counters.add("error.webhook_queue_full", row.waited);
        givenUp += 1;
      }
      if (oldest.length === 0) break;
    }
    if (givenUp === 0) return;
    this.#slots.invalidate(queueId);
    log("delivery.queue_full", { queueId, givenUp });
  }
}
