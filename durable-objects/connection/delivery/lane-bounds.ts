// A receiver that never accepts anything must not fill the object's storage: beyond a bound its oldest waiting deliveries fail.
import type { Endpoints } from "./endpoints.ts";
import type { Lanes } from "./lanes.ts";
import { SETTLED_BEFORE, STATE, WAITED_BEFORE } from "./states.ts";
import type { QueueBounds, DeliveryHost } from "./host.ts";

/** What may wait in one lane (docs/internals/delivery.md, "Retention and bounds"). */
const DEFAULT_BOUNDS: QueueBounds = { rows: 500_000, bytes: 1_000_000_000 };
const CHECK_EVERY_ROWS = 1_000;
const SLICE_ROWS = 1_000;

const WAITING = `state IN (${STATE.fresh}, ${STATE.retry})`;

export class LaneBounds {
  readonly #host: DeliveryHost;
  readonly #bounds: QueueBounds;
  readonly #endpoints: Endpoints;
  readonly #lanes: Lanes;
  /** By lane: no delivery with a lower seq waits. */
  readonly #floors = new Map<number, number>();
  #unchecked = 0;

  constructor(host: DeliveryHost, endpoints: Endpoints, lanes: Lanes) {
    this.#host = host;
    this.#bounds = host.bounds ?? DEFAULT_BOUNDS;
    this.#endpoints = endpoints;
    this.#lanes = lanes;
  }

  /** A cheap check of the whole table: while it holds, no single lane can exceed its bound. */
  hasRoom(): boolean {
    const { sql } = this.#host;
    const span = "SELECT ifnull((SELECT max(seq) FROM delivery) - (SELECT min(seq) FROM delivery), 0) AS span";
    return sql.databaseSize < this.#bounds.bytes && sql.exec<{ span: number }>(span).one().span < this.#bounds.rows;
  }

  /** To be called for all stored deliveries; enforces the bounds every `CHECK_EVERY_ROWS` of them. */
  checkAfterStoring(count: number, now: number): void {
    this.#unchecked += count;
    if (this.#unchecked < Math.min(CHECK_EVERY_ROWS, this.#bounds.rows)) return;
    this.#unchecked = 0;
    if (this.hasRoom()) return;
    for (const { lane } of this.#endpoints.all()) this.#enforce(lane, now);
  }

  #enforce(lane: number, now: number): void {
    const { counters, sql, log } = this.#host;
    const floor = this.#floors.get(lane) ?? 0;
    let { rows, size } = sql
      .exec<{ rows: number; size: number }>(
        `SELECT count(*) AS rows, ifnull(sum(size), 0) AS size FROM delivery WHERE lane = ? AND seq >= ? AND ${WAITING}`,
        lane,
        floor,
      )
      .one();
    let givenUp = 0;
    while (rows > this.#bounds.rows || size > this.#bounds.bytes) {
      const oldest = sql
        .exec<{ seq: number; size: number; waited: number }>(
          `SELECT seq, size, ${WAITED_BEFORE} AS waited FROM delivery WHERE lane = ? AND seq >= ? AND ${WAITING} ORDER BY seq LIMIT ${SLICE_ROWS}`,
          lane,
          this.#floors.get(lane) ?? 0,
        )
        .toArray();
      for (const row of oldest) {
        if (rows <= this.#bounds.rows && size <= this.#bounds.bytes) break;
        sql.exec(
          `UPDATE delivery SET state = iif(${SETTLED_BEFORE}, resent_state, ${STATE.failed}), error = iif(${SETTLED_BEFORE}, error, 'queue_full'),
             due_at = NULL, settled_at = iif(${SETTLED_BEFORE}, settled_at, ?), resent_state = NULL WHERE seq = ?`,
          now,
          row.seq,
        );
        this.#floors.set(lane, row.seq + 1);
        rows -= 1;
        size -= row.size;
        counters.add("given_up", row.waited);
        givenUp += 1;
      }
      if (oldest.length === 0) break;
    }
    if (givenUp === 0) return;
    this.#lanes.invalidate(lane);
    log("delivery.queue_full", { lane, givenUp });
  }
}
