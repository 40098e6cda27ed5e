// Decides which endpoint may start an attempt. Each lane has its own slots, so that an unresponsive receiver does not delay others.
import { concurrencyFor } from "@gateway/domain/webhooks/delivery.ts";
import type { CatchUp } from "@gateway/domain/spread.ts";
import { type Endpoint, type Endpoints, isClosed } from "./endpoints.ts";
import type { Queue } from "./queue.ts";
import { STATE, type WaitingState, SETTLED_BEFORE, WAITED_BEFORE } from "./states.ts";
import type { QueueBounds, DeliveryHost } from "./host.ts";

/** Concurrent attempts per object; more than the maximum number of lanes (20 account endpoints and a webhook). */
const OBJECT_SLOTS = 24;

type Lane = {
  inFlight: { [S in WaitingState]: number };
  dueAt: { [S in WaitingState]: number | null | undefined };
  retryNext: boolean;
  pausedUntil: number;
  /** Until this time, overdue deliveries are hidden from `dueAt` (Unix ms); null: none are hidden. */
  leftOutUntil: number | null;
};

const KINDS = [STATE.fresh, STATE.retry] as const;

export type Shares = { fresh: number; retry: number };

export class Lanes {
  readonly #endpoints: Endpoints;
  readonly #queue: Queue;
  readonly #held: () => boolean;
  readonly #clock: () => number;
  readonly #catchUp: CatchUp;
  readonly #byLane = new Map<number, Lane>();
  #total = 0;
  #busyLanes = 0;

  constructor(endpoints: Endpoints, queue: Queue, held: () => boolean, clock: () => number, catchUp: CatchUp) {
    this.#endpoints = endpoints;
    this.#queue = queue;
    this.#held = held;
    this.#clock = clock;
    this.#catchUp = catchUp;
  }

  free(endpoint: Endpoint): number {
    return this.#lane(endpoint.lane).pausedUntil > this.#clock() ? 0 : this.#unfilled(endpoint);
  }

  pause(number: number, until: number): void {
    this.#lane(number).pausedUntil = until;
  }

  /** Number of slots that the lane may still fill; one slot is reserved for every idle lane. */
  #unfilled(endpoint: Endpoint): number {
    if (isClosed(endpoint) || this.#held()) return 0;
    const busy = this.#busy(endpoint.lane);
    const own = concurrencyFor(endpoint.health) - busy;
    if (own <= 0) return 0;
    const left = OBJECT_SLOTS - this.#total;
    const self = busy === 0 ? 1 : 0;
    return Math.min(own, left, Math.max(self, left - (this.#idleLanes() - self)));
  }

  /** Splits slots between new events and retries; new events get at least half. `ahead` of the `limit` claims exceed the slots. */
  shares(endpoint: Endpoint, limit: number, ahead: number): Shares {
    const lane = this.#lane(endpoint.lane);
    const slots = concurrencyFor(endpoint.health) + ahead;
    if (slots === 1) {
      lane.retryNext = !lane.retryNext;
      return lane.retryNext ? { fresh: 0, retry: limit } : { fresh: limit, retry: 0 };
    }
    const retry = Math.min(limit, Math.max(0, Math.floor(slots / 2) - lane.inFlight[STATE.retry]));
    return { fresh: limit - retry, retry };
  }

  occupy(number: number, kind: WaitingState): void {
    if (this.#busy(number) === 0) this.#busyLanes += 1;
    this.#lane(number).inFlight[kind] += 1;
    this.#total += 1;
  }

  release(number: number, kind: WaitingState): void {
    this.#lane(number).inFlight[kind] -= 1;
    this.#total -= 1;
    if (this.#busy(number) === 0) this.#busyLanes -= 1;
  }

  /** When the lane's next startable delivery of that kind is due; cached until the queue changes. */
  dueAt(number: number, kind: WaitingState): number | null {
    const lane = this.#lane(number);
    if (lane.leftOutUntil !== null && lane.leftOutUntil <= this.#clock()) {
      lane.leftOutUntil = null;
      this.invalidate(number);
    }
    const known = lane.dueAt[kind];
    return known === undefined ? (lane.dueAt[kind] = this.#readDueAt(number, kind)) : known;
  }

  get waitsBefore(): number {
    return this.#catchUp.waitsBefore(this.#clock());
  }

  endWait(): void {
    this.#catchUp.end();
    this.#forgetDues();
  }

  clockSetBack(): void {
    this.#forgetDues();
    for (const lane of this.#byLane.values()) lane.pausedUntil = 0;
  }

  #forgetDues(): void {
    for (const [number, lane] of this.#byLane) {
      lane.leftOutUntil = null;
      this.invalidate(number);
    }
  }

  hasWaiting(number: number): boolean {
    return KINDS.some((kind) => this.dueAt(number, kind) !== null) || this.#lane(number).leftOutUntil !== null;
  }

  invalidate(number: number): void {
    this.#lane(number).dueAt = { [STATE.fresh]: undefined, [STATE.retry]: undefined };
  }

  noteAdded(number: number, kind: WaitingState, dueAt: number): void {
    const known = this.#lane(number).dueAt;
    const before = known[kind];
    if (before !== undefined) known[kind] = before === null ? dueAt : Math.min(before, dueAt);
  }

  nextDue(): number | null {
    let next: number | null = null;
    for (const endpoint of this.#endpoints.all()) {
      if (this.#unfilled(endpoint) === 0) continue;
      const dues = KINDS.map((kind) => this.dueAt(endpoint.lane, kind));
      const { leftOutUntil, pausedUntil } = this.#lane(endpoint.lane);
      for (const due of [...dues, leftOutUntil])
        if (due !== null && (next === null || Math.max(due, pausedUntil) < next)) next = Math.max(due, pausedUntil);
    }
    return next;
  }

  forget(number: number): void {
    if (this.#busy(number) === 0) this.#byLane.delete(number);
  }

  #readDueAt(number: number, kind: WaitingState): number | null {
    const due = this.#queue.dueAt(number, kind);
    const begins = due === null ? null : this.#catchUp.notBefore(due);
    if (begins === due || begins === null || begins <= this.#clock()) return due;
    this.#lane(number).leftOutUntil = begins;
    return this.#queue.dueAt(number, kind, this.waitsBefore);
  }

  #busy(number: number): number {
    const lane = this.#byLane.get(number);
    return lane === undefined ? 0 : lane.inFlight[STATE.fresh] + lane.inFlight[STATE.retry];
  }

  /** Open lanes with nothing in flight. A closed lane with attempts in flight counts as busy. */
  #idleLanes(): number {
    let open = 0;
    for (const endpoint of this.#endpoints.all()) if (!isClosed(endpoint)) open += 1;
    return Math.max(0, open - this.#busyLanes);
  }

  #lane(number: number): Lane {
    const known = this.#byLane.get(number);
    if (known !== undefined) return known;
    const lane: Lane = {
      inFlight: { [STATE.fresh]: 0, [STATE.retry]: 0 },
      dueAt: { [STATE.fresh]: undefined, [STATE.retry]: undefined },
      retryNext: false,
      pausedUntil: 0,
      leftOutUntil: null,
    };
    this.#byLane.set(number, lane);
    return lane;
  }
}

const DEFAULT_BOUNDS: QueueBounds = { rows: 500_000, bytes: 1_000_000_000 };
const CHECK_EVERY_ROWS = 1_000;
const SLICE_ROWS = 1_000;

const WAITING = `state IN (${STATE.fresh}, ${STATE.retry})`;

export class LaneBounds {
  readonly #host: DeliveryHost;
  readonly #bounds: QueueBounds;
  readonly #endpoints: Endpoints;
  readonly #lanes: Lanes;
  readonly #floors = new Map<number, number>();
  #unchecked = 0;

  constructor(host: DeliveryHost, endpoints: Endpoints, lanes: Lanes) {
    this.#host = host;
    this.#bounds = host.bounds ?? DEFAULT_BOUNDS;
    this.#endpoints = endpoints;
    this.#lanes = lanes;
  }

  /** A cheap check of the whole table: while it returns true, no lane can exceed its limit. */
  hasSpace(): boolean {
    const { sql } = this.#host;
    const span = "SELECT ifnull((SELECT max(seq) FROM delivery) - (SELECT min(seq) FROM delivery), 0) AS span";
    return sql.databaseSize < this.#bounds.bytes && sql.exec<{ span: number }>(span).one().span < this.#bounds.rows;
  }

  /** Called for all stored deliveries; enforces the limits every `CHECK_EVERY_ROWS` rows. */
  checkAfterStoring(count: number, now: number): void {
    this.#unchecked += count;
    if (this.#unchecked < Math.min(CHECK_EVERY_ROWS, this.#bounds.rows)) return;
    this.#unchecked = 0;
    if (this.hasSpace()) return;
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
