// Decides which endpoint may start an attempt. Each queue has its own slots, so that an unresponsive receiver does not delay others.
import { concurrencyFor } from "@gateway/domain/webhooks/delivery.ts";
import type { CatchUp } from "@gateway/domain/catch-up.ts";
import type { Participant } from "../commit-handler.ts";
import { type Endpoint, type Endpoints, isClosed } from "./endpoints.ts";
import type { Queue } from "./queue.ts";
import { STATE, type WaitingState } from "./states.ts";

/** Concurrent attempts per object. This is more than the maximum number of queues (20 account endpoints and a webhook). */
const OBJECT_SLOTS = 24;

type Slots = {
  inFlight: { [S in WaitingState]: number };
  dueAt: { [S in WaitingState]: number | null | undefined };
  retryNext: boolean;
  pausedUntil: number;
  /** The time until which overdue deliveries are hidden from `dueAt` (Unix ms), or null if none are hidden. */
  leftOutUntil: number | null;
};

const KINDS = [STATE.fresh, STATE.retry] as const;

export type Split = { fresh: number; retry: number };

export class AttemptSlots implements Participant {
  readonly #endpoints: Endpoints;
  readonly #queue: Queue;
  readonly #isSuspended: () => boolean;
  readonly #clock: () => number;
  readonly #catchUp: CatchUp;
  readonly #byQueue = new Map<number, Slots>();
  #total = 0;
  #busyQueues = 0;

  constructor(endpoints: Endpoints, queue: Queue, isSuspended: () => boolean, clock: () => number, catchUp: CatchUp) {
    this.#endpoints = endpoints;
    this.#queue = queue;
    this.#isSuspended = isSuspended;
    this.#clock = clock;
    this.#catchUp = catchUp;
  }

  free(endpoint: Endpoint): number {
    return this.#slotsOf(endpoint.queueId).pausedUntil > this.#clock() ? 0 : this.#unfilled(endpoint);
  }

  pause(queueId: number, until: number): void {
    this.#slotsOf(queueId).pausedUntil = until;
  }

  /** Number of slots that the queue may still fill. One slot is reserved for every idle queue. */
  #unfilled(endpoint: Endpoint): number {
    if (isClosed(endpoint) || this.#isSuspended()) return 0;
    const busy = this.#busy(endpoint.queueId);
    const own = concurrencyFor(endpoint.health) - busy;
    if (own <= 0) return 0;
    const left = OBJECT_SLOTS - this.#total;
    const self = busy === 0 ? 1 : 0;
    return Math.min(own, left, Math.max(self, left - (this.#idleQueues() - self)));
  }

  /** Gives at least half of the slots to new events, and the rest to retries. `ahead` of the `limit` claims will wait for a slot. */
  split(endpoint: Endpoint, limit: number, ahead: number): Split {
    const own = this.#slotsOf(endpoint.queueId);
    const slots = concurrencyFor(endpoint.health) + ahead;
    if (slots === 1) {
      own.retryNext = !own.retryNext;
      return own.retryNext ? { fresh: 0, retry: limit } : { fresh: limit, retry: 0 };
    }
    const retry = Math.min(limit, Math.max(0, Math.floor(slots / 2) - own.inFlight[STATE.retry]));
    return { fresh: limit - retry, retry };
  }

  occupy(queueId: number, kind: WaitingState): void {
    if (this.#busy(queueId) === 0) this.#busyQueues += 1;
    this.#slotsOf(queueId).inFlight[kind] += 1;
    this.#total += 1;
  }

  release(queueId: number, kind: WaitingState): void {
    this.#slotsOf(queueId).inFlight[kind] -= 1;
    this.#total -= 1;
    if (this.#busy(queueId) === 0) this.#busyQueues -= 1;
  }

  /** When the queue's next startable delivery of this kind is due. Cached until the queue changes. */
  dueAt(queueId: number, kind: WaitingState): number | null {
    const own = this.#slotsOf(queueId);
    if (own.leftOutUntil !== null && own.leftOutUntil <= this.#clock()) this.invalidate(queueId);
    const known = own.dueAt[kind];
    return known === undefined ? (own.dueAt[kind] = this.#readDueAt(queueId, kind)) : known;
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
    for (const own of this.#byQueue.values()) own.pausedUntil = 0;
  }

  rolledBack(): void {
    this.#forgetDues();
  }

  savepoint(): () => void {
    return () => this.#forgetDues();
  }

  #forgetDues(): void {
    for (const queueId of this.#byQueue.keys()) this.invalidate(queueId);
  }

  hasWaiting(queueId: number): boolean {
    return KINDS.some((kind) => this.dueAt(queueId, kind) !== null) || this.#slotsOf(queueId).leftOutUntil !== null;
  }

  invalidate(queueId: number): void {
    const own = this.#slotsOf(queueId);
    own.dueAt = { [STATE.fresh]: undefined, [STATE.retry]: undefined };
    // The next read of the due times hides overdue deliveries again, if there are any left.
    own.leftOutUntil = null;
  }

  noteAdded(queueId: number, kind: WaitingState, dueAt: number): void {
    const known = this.#slotsOf(queueId).dueAt;
    const before = known[kind];
    if (before !== undefined) known[kind] = before === null ? dueAt : Math.min(before, dueAt);
  }

  nextDue(): number | null {
    let next: number | null = null;
    for (const endpoint of this.#endpoints.all()) {
      if (this.#unfilled(endpoint) === 0) continue;
      const dues = KINDS.map((kind) => this.dueAt(endpoint.queueId, kind));
      const { leftOutUntil, pausedUntil } = this.#slotsOf(endpoint.queueId);
      for (const due of [...dues, leftOutUntil])
        if (due !== null && (next === null || Math.max(due, pausedUntil) < next)) next = Math.max(due, pausedUntil);
    }
    return next;
  }

  forget(queueId: number): void {
    if (this.#busy(queueId) === 0) this.#byQueue.delete(queueId);
  }

  #readDueAt(queueId: number, kind: WaitingState): number | null {
    const due = this.#queue.dueAt(queueId, kind);
    const begins = due === null ? null : this.#catchUp.notBefore(due);
    if (begins === due || begins === null || begins <= this.#clock()) return due;
    this.#slotsOf(queueId).leftOutUntil = begins;
    return this.#queue.dueAt(queueId, kind, this.waitsBefore);
  }

  #busy(queueId: number): number {
    const own = this.#byQueue.get(queueId);
    return own === undefined ? 0 : own.inFlight[STATE.fresh] + own.inFlight[STATE.retry];
  }

  /** Number of open queues with nothing in flight. A closed queue that still has attempts in flight is busy. */
  #idleQueues(): number {
    let open = 0;
    for (const endpoint of this.#endpoints.all()) if (!isClosed(endpoint)) open += 1;
    return Math.max(0, open - this.#busyQueues);
  }

  #slotsOf(queueId: number): Slots {
    const known = this.#byQueue.get(queueId);
    if (known !== undefined) return known;
    const own: Slots = {
      inFlight: { [STATE.fresh]: 0, [STATE.retry]: 0 },
      dueAt: { [STATE.fresh]: undefined, [STATE.retry]: undefined },
      retryNext: false,
      pausedUntil: 0,
      leftOutUntil: null,
    };
    this.#byQueue.set(queueId, own);
    return own;
  }
}
