// Estimates how long new sessions wait at a bridge, because a bridge dials only a few at a time.
import { DIALS } from "@gateway/protocol/session-socket.ts";

/** Amount of work that a bridge handles without queueing. */
const FREE_MS = DIALS.atOnce * DIALS.eachMs;

export class DialBacklog {
  /** When each bridge will have opened all its assigned sessions (Unix ms). */
  readonly #busyUntil = new Map<string, number>();

  given(bridge: string, now: number): void {
    const from = Math.max(now, this.#busyUntil.get(bridge) ?? 0);
    this.#busyUntil.set(bridge, from + DIALS.eachMs);
  }

  waitMs(bridge: string, now: number): number {
    const busyMs = (this.#busyUntil.get(bridge) ?? 0) - now;
    return Math.min(Math.max(0, busyMs - FREE_MS), DIALS.atMostMs);
  }

  clockSetBack(): void {
    this.#busyUntil.clear();
  }

  forget(bridge: string): void {
    this.#busyUntil.delete(bridge);
  }
}
