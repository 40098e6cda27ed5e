// A receiver that never takes anything must not fill the object: beyond a bound its oldest waiting deliveries are given up.
import type { Endpoints } from "./endpoints.ts";
import type { Lanes } from "./lanes.ts";
import { STATE } from "./queue.ts";
import type { Bounds, DeliveryWorld } from "./world.ts";

/** What may wait in one lane (docs/delivery.md, "Retention and bounds"). */
const BOUNDS: Bounds = { rows: 500_000, bytes: 1_000_000_000 };
const CHECK_EVERY_ROWS = 1_000;
const SLICE = 1_000;

const WAITING = `state IN (${STATE.fresh}, ${STATE.retry})`;

export class LaneBounds {
  readonly #world: DeliveryWorld;
  readonly #bounds: Bounds;
  readonly #endpoints: Endpoints;
  readonly #lanes: Lanes;
  /** Below it nothing of the lane waits any more. */
  readonly #floors = new Map<number, number>();
  #unchecked = 0;

  constructor(world: DeliveryWorld, endpoints: Endpoints, lanes: Lanes) {
    this.#world = world;
    this.#bounds = world.bounds ?? BOUNDS;
    this.#endpoints = endpoints;
    this.#lanes = lanes;
  }

  /** As long as this holds no lane can be over its bound, whatever is in it; asking costs next to nothing. */
  isRoomy(): boolean {
    const { sql } = this.#world;
    const span = "SELECT ifnull((SELECT max(seq) FROM delivery) - (SELECT min(seq) FROM delivery), 0) AS span";
    return sql.databaseSize < this.#bounds.bytes && sql.exec<{ span: number }>(span).one().span < this.#bounds.rows;
  }

  /** To be told of every stored delivery. */
  stored(count: number, now: number): void {
    this.#unchecked += count;
    if (this.#unchecked < Math.min(CHECK_EVERY_ROWS, this.#bounds.rows)) return;
    this.#unchecked = 0;
    if (this.isRoomy()) return;
    for (const { lane } of this.#endpoints.all()) this.#enforce(lane, now);
  }

  #enforce(lane: number, now: number): void {
    const { sql, log } = this.#world;
    const floor = this.#floors.get(lane) ?? 0;
    let { rows, size } = sql
      .exec<{ rows: number; size: number }>(
        `SELECT count(*) AS rows, ifnull(sum(size), 0) AS size FROM delivery WHERE lane = ? AND seq >= ? AND ${WAITING}`,
        lane,
        floor,
      )
      .one();
    let given = 0;
    while (rows > this.#bounds.rows || size > this.#bounds.bytes) {
      const oldest = sql
        .exec<{ seq: number; size: number }>(
          `SELECT seq, size FROM delivery WHERE lane = ? AND seq >= ? AND ${WAITING} ORDER BY seq LIMIT ${SLICE}`,
          lane,
          this.#floors.get(lane) ?? 0,
        )
        .toArray();
      for (const row of oldest) {
        if (rows <= this.#bounds.rows && size <= this.#bounds.bytes) break;
        sql.exec(
          `UPDATE delivery SET state = ${STATE.failed}, error = 'queue_full', due_at = NULL, settled_at = ? WHERE seq = ?`,
          now,
          row.seq,
        );
        this.#floors.set(lane, row.seq + 1);
        rows -= 1;
        size -= row.size;
        given += 1;
      }
      if (oldest.length === 0) break;
    }
    if (given === 0) return;
    this.#lanes.changed(lane);
    log("delivery.queue_full", { lane, givenUp: given });
  }
}
