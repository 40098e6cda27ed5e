// Bounds the memory of all long bodies in an isolate. Each waits for capacity before it reads more (docs/internals/requests.md, "Request
// bodies").
import { type Clock, REAL_CLOCK } from "./pace.ts";

const POLL_INTERVAL_MS = 25;

export type RoomBounds = {
  bytes: number;
  waitMs: number;
  /** An idle body no longer counts after this time: its request may have ended silently. */
  untouchedMs: number;
};

export class Room {
  readonly #bounds: RoomBounds;
  readonly #clock: Clock;
  readonly #places = new Set<Place>();
  #waitedForAt = Number.NEGATIVE_INFINITY;

  constructor(bounds: RoomBounds, clock: Clock = REAL_CLOCK) {
    this.#bounds = bounds;
    this.#clock = clock;
  }

  enter(): Place {
    const place = new Place(this, this.#clock);
    this.#places.add(place);
    return place;
  }

  /** False on timeout. Each waiter has its own timer: a promise that another request resolves is lost when that client goes away. */
  async waitFor(bytes: number, place: Place): Promise<boolean> {
    const givenUpAt = this.#clock.now() + this.#bounds.waitMs;
    while (!this.#hasRoomFor(bytes, place)) {
      if (this.#clock.now() >= givenUpAt) return false;
      this.#waitedForAt = this.#clock.now();
      await this.#clock.wait(POLL_INTERVAL_MS);
      place.touch();
    }
    return true;
  }

  isWaitedFor(): boolean {
    return this.#clock.now() - this.#waitedForAt < 4 * POLL_INTERVAL_MS;
  }

  leave(place: Place): void {
    this.#places.delete(place);
  }

  #hasRoomFor(bytes: number, asking: Place): boolean {
    this.#places.add(asking);
    const now = this.#clock.now();
    let [taken, isFirst] = [0, true];
    for (const place of this.#places) {
      if (place !== asking && now - place.touchedAt > this.#bounds.untouchedMs) this.#places.delete(place);
      else if (!isFirst) taken += place.bytes;
      else if (place === asking) return true;
      else isFirst = false;
    }
    return taken + bytes <= this.#bounds.bytes;
  }
}

export class Place {
  bytes = 0;
  touchedAt: number;
  readonly #room: Room;
  readonly #clock: Clock;

  constructor(room: Room, clock: Clock) {
    this.#room = room;
    this.#clock = clock;
    this.touchedAt = clock.now();
  }

  /** Waits for capacity for this many more bytes; false on timeout. */
  async grow(bytes: number): Promise<boolean> {
    if (!(await this.#room.waitFor(bytes, this))) return false;
    this.bytes += bytes;
    this.touch();
    return true;
  }

  touch(): void {
    this.touchedAt = this.#clock.now();
  }

  leave(): void {
    this.#room.leave(this);
  }
}
