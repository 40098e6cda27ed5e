// Who may start an attempt now. Every receiver has its own few slots, so that a dead one harms nobody else.
import { concurrencyFor } from "../../../src/domain/webhooks/delivery.ts";
import { type Endpoint, type Endpoints, isClosed } from "./endpoints.ts";
import { type Queue, STATE, type Waiting } from "./queue.ts";

/** Attempts under way at once in one object. More than lanes there can be (20 account endpoints and a webhook). */
const OBJECT_SLOTS = 24;

type Lane = { inFlight: { [S in Waiting]: number }; dueAt: { [S in Waiting]: number | null | undefined }; retryNext: boolean };

const KINDS = [STATE.fresh, STATE.retry] as const;

/** How many of a lane's free slots are for which kind. */
export type Shares = { fresh: number; retry: number };

export class Lanes {
  readonly #endpoints: Endpoints;
  readonly #queue: Queue;
  readonly #byLane = new Map<number, Lane>();
  #total = 0;
  #busyLanes = 0;

  constructor(endpoints: Endpoints, queue: Queue) {
    this.#endpoints = endpoints;
    this.#queue = queue;
  }

  get inFlight(): number {
    return this.#total;
  }

  /** Slots that the endpoint may fill now. One is always left for every lane that has none in flight. */
  free(endpoint: Endpoint): number {
    if (isClosed(endpoint)) return 0;
    const busy = this.#busy(endpoint.lane);
    const own = concurrencyFor(endpoint.health) - busy;
    if (own <= 0) return 0;
    const left = OBJECT_SLOTS - this.#total;
    const self = busy === 0 ? 1 : 0;
    return Math.min(own, left, Math.max(self, left - (this.#idleLanes() - self)));
  }

  /**
   * New events get at least half of the slots, so that a receiver that comes back hears fresh news first. `ahead` of the `limit`
   * claims are beyond the slots.
   */
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

  take(number: number, kind: Waiting): void {
    if (this.#busy(number) === 0) this.#busyLanes += 1;
    this.#lane(number).inFlight[kind] += 1;
    this.#total += 1;
  }

  release(number: number, kind: Waiting): void {
    this.#lane(number).inFlight[kind] -= 1;
    this.#total -= 1;
    if (this.#busy(number) === 0) this.#busyLanes -= 1;
  }

  /** When something of that kind is due in the lane; asked of the storage only when it may have changed. */
  dueAt(number: number, kind: Waiting): number | null {
    const { dueAt } = this.#lane(number);
    const known = dueAt[kind];
    return known === undefined ? (dueAt[kind] = this.#queue.dueAt(number, kind)) : known;
  }

  /** The lane's waiting deliveries changed in a way that only the storage knows. */
  changed(number: number): void {
    this.#lane(number).dueAt = { [STATE.fresh]: undefined, [STATE.retry]: undefined };
  }

  /** Something was added that is due then. */
  added(number: number, kind: Waiting, dueAt: number): void {
    const known = this.#lane(number).dueAt;
    const before = known[kind];
    if (before !== undefined) known[kind] = before === null ? dueAt : Math.min(before, dueAt);
  }

  /** When the next attempt could be started, by anyone who has a slot for it. */
  nextDue(): number | null {
    let next: number | null = null;
    for (const endpoint of this.#endpoints.all()) {
      if (this.free(endpoint) === 0) continue;
      for (const kind of KINDS) {
        const due = this.dueAt(endpoint.lane, kind);
        if (due !== null && (next === null || due < next)) next = due;
      }
    }
    return next;
  }

  forget(number: number): void {
    if (this.#busy(number) === 0) this.#byLane.delete(number);
  }

  #busy(number: number): number {
    const lane = this.#byLane.get(number);
    return lane === undefined ? 0 : lane.inFlight[STATE.fresh] + lane.inFlight[STATE.retry];
  }

  /** Open ones with nothing in flight; one that was closed just now may count as busy for a moment. */
  #idleLanes(): number {
    let open = 0;
    for (const endpoint of this.#endpoints.all()) if (!isClosed(endpoint)) open += 1;
    return Math.max(0, open - this.#busyLanes);
  }

  #lane(number: number): Lane {
    const known = this.#byLane.get(number);
    if (known !== undefined) return known;
    const made: Lane = {
      inFlight: { [STATE.fresh]: 0, [STATE.retry]: 0 },
      dueAt: { [STATE.fresh]: undefined, [STATE.retry]: undefined },
      retryNext: false,
    };
    this.#byLane.set(number, made);
    return made;
  }
}
