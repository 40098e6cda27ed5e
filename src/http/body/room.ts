// Bounds the memory that the long bodies of an isolate take together: each says its size and waits until there is room for it
// (docs/admission.md, "Request bodies").
import { type Clock, REAL_CLOCK } from "./pace.ts";

const POLL_INTERVAL_MS = 10;
/** A request whose client goes away ends without a word: who was not seen for so long waits no more. */
const UNSEEN_MS = 10 * POLL_INTERVAL_MS;

type Waiting = { seenAt: number };

export type RoomBounds = {
  bytes: number;
  /** How long a body waits for room. */
  waitMs: number;
  /** How long a place is kept at first. */
  idleMs: number;
};

/** Of one isolate. */
export class Room {
  readonly #bounds: RoomBounds;
  readonly #clock: Clock;
  readonly #places = new Set<Place>();
  /** The first has waited the longest. */
  readonly #waiting = new Set<Waiting>();

  constructor(bounds: RoomBounds, clock: Clock = REAL_CLOCK) {
    this.#bounds = bounds;
    this.#clock = clock;
  }

  /**
   * Null when there was no room in time. First come, first served; the largest body has a place when it is alone. Each waits by a timer
   * of its own: what another request resolves would be lost with that request.
   */
  async take(bytes: number): Promise<Place | null> {
    const givenUpAt = this.#clock.now() + this.#bounds.waitMs;
    const waiting = { seenAt: this.#clock.now() };
    this.#waiting.add(waiting);
    let place: Place | null = null;
    while (place === null && this.#clock.now() < givenUpAt) {
      if (this.#isNext(waiting) && this.#hasRoomFor(bytes)) place = this.#placeFor(bytes);
      else await this.#clock.wait(POLL_INTERVAL_MS);
      waiting.seenAt = this.#clock.now();
    }
    this.#waiting.delete(waiting);
    if (place !== null) this.#places.add(place);
    return place;
  }

  leave(place: Place): void {
    this.#places.delete(place);
  }

  #placeFor(bytes: number): Place {
    const place = new Place(this, bytes, this.#clock);
    place.keep(this.#bounds.idleMs);
    return place;
  }

  #isNext(waiting: Waiting): boolean {
    const now = this.#clock.now();
    for (const other of this.#waiting) {
      if (other === waiting) return true;
      if (now - other.seenAt < UNSEEN_MS) return false;
      this.#waiting.delete(other);
    }
    return true;
  }

  #hasRoomFor(bytes: number): boolean {
    const now = this.#clock.now();
    let used = 0;
    for (const place of this.#places) {
      if (now >= place.keptUntil) this.#places.delete(place);
      else used += place.bytes;
    }
    return used === 0 || used + bytes <= this.#bounds.bytes;
  }
}

/** A body's part of the room. It ends by itself, because a request may end unnoticed. */
export class Place {
  readonly bytes: number;
  keptUntil = 0;
  readonly #room: Room;
  readonly #clock: Clock;

  constructor(room: Room, bytes: number, clock: Clock) {
    this.bytes = bytes;
    this.#room = room;
    this.#clock = clock;
  }

  /** From now on for so long. */
  keep(ms: number): void {
    this.keptUntil = this.#clock.now() + ms;
  }

  leave(): void {
    this.#room.leave(this);
  }
}
