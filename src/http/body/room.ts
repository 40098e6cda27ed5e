// Bounds the memory that the long bodies of an isolate take together. Each counts with what it has brought and waits for room before it
// brings more (docs/internals/requests.md, "Request bodies").
import { type Clock, REAL_CLOCK } from "./pace.ts";

const POLL_INTERVAL_MS = 25;

export type RoomBounds = {
  /** For all bodies but the oldest. */
  bytes: number;
  /** How long a body waits for room. */
  waitMs: number;
  /** A body of which nothing was seen for so long counts no more: its request may have ended without a word. */
  untouchedMs: number;
};

/** Of one isolate. The oldest body always has room, so that they never wait for each other for good. */
export class Room {
  readonly #bounds: RoomBounds;
  readonly #clock: Clock;
  /** The oldest first. */
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

  /**
   * Whether there was room in time. Each waits by a timer of its own: what another request resolves would be lost with that request when
   * its client goes away.
   */
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

  /** Who is silent then makes room. */
  isWaitedFor(): boolean {
    return this.#clock.now() - this.#waitedForAt < 4 * POLL_INTERVAL_MS;
  }

  leave(place: Place): void {
    this.#places.delete(place);
  }

  #hasRoomFor(bytes: number, asking: Place): boolean {
    // It may have been given up as gone.
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

/** A body's part of the room. */
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

  /** Waits for room for so many bytes more; false when there was none in time. */
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
