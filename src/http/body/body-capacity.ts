// Limits the memory used by all long bodies in an isolate (docs/internals/requests.md, "Request bodies").
import { REAL_CLOCK, type Clock } from "./pace.ts";

const POLL_INTERVAL_MS = 25;

type RoomBounds = {
  bytes: number;
  waitMs: number;
  /** After this time, an idle body no longer counts toward the limit, because its request may have ended unnoticed. */
  untouchedMs: number;
};

export class BodyCapacity {
  readonly #bounds: RoomBounds;
  readonly #clock: Clock;
  readonly #reservations = new Set<Reservation>();
  #waitedForAt = Number.NEGATIVE_INFINITY;

  constructor(bounds: RoomBounds, clock: Clock = REAL_CLOCK) {
    this.#bounds = bounds;
    this.#clock = clock;
  }

  enter(): Reservation {
    const reservation = new Reservation(this, this.#clock);
    this.#reservations.add(reservation);
    return reservation;
  }

  /** Returns false on timeout. Each waiter has its own timer, because another request's promise is lost if its client disconnects. */
  async waitFor(bytes: number, reservation: Reservation): Promise<boolean> {
    const givenUpAt = this.#clock.now() + this.#bounds.waitMs;
    while (!this.#hasCapacityFor(bytes, reservation)) {
      if (this.#clock.now() >= givenUpAt) return false;
      this.#waitedForAt = this.#clock.now();
      await this.#clock.wait(POLL_INTERVAL_MS);
      reservation.touch();
    }
    return true;
  }

  isWaitedFor(): boolean {
    return this.#clock.now() - this.#waitedForAt < 4 * POLL_INTERVAL_MS;
  }

  leave(reservation: Reservation): void {
    this.#reservations.delete(reservation);
  }

  #hasCapacityFor(bytes: number, asking: Reservation): boolean {
    this.#reservations.add(asking);
    const now = this.#clock.now();
    let [taken, isFirst] = [0, true];
    for (const reservation of this.#reservations) {
      if (reservation !== asking && now - reservation.touchedAt > this.#bounds.untouchedMs) this.#reservations.delete(reservation);
      else if (!isFirst) taken += reservation.bytes;
      else if (reservation === asking) return true;
      else isFirst = false;
    }
    return taken + bytes <= this.#bounds.bytes;
  }
}

export class Reservation {
  bytes = 0;
  touchedAt: number;
  readonly #capacity: BodyCapacity;
  readonly #clock: Clock;

  constructor(capacity: BodyCapacity, clock: Clock) {
    this.#capacity = capacity;
    this.#clock = clock;
    this.touchedAt = clock.now();
  }

  /** Waits for capacity for this many additional bytes. Returns false on timeout. */
  async grow(bytes: number): Promise<boolean> {
    if (!(await this.#capacity.waitFor(bytes, this))) return false;
    this.bytes += bytes;
    this.touch();
    return true;
  }

  touch(): void {
    this.touchedAt = this.#clock.now();
  }

  leave(): void {
    this.#capacity.leave(this);
  }
}
