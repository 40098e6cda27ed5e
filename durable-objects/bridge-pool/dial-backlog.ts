// How long a session may wait for its turn at a bridge that was given many at once (docs/internals/bridges.md, "Bridges, leases and
// generations"). In memory: a pool that starts again knows of none.
import { DIALS } from "@gateway/protocol/session-socket.ts";

/** So long a bridge is busy with those that it dials at the same time: no session waits for its turn meanwhile. */
const FREE_MS = DIALS.atOnce * DIALS.eachMs;

export class Turns {
  /** By bridge: until when it dials those it was given (Unix ms). */
  readonly #busyUntil = new Map<string, number>();

  /** The bridge was given one more. */
  given(bridge: string, now: number): void {
    const from = Math.max(now, this.#busyUntil.get(bridge) ?? 0);
    this.#busyUntil.set(bridge, from + DIALS.eachMs);
  }

  /** Of the session that the bridge was given last. */
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
