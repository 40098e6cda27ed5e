// Notifies connections that their bridge is gone, some at a time, each once, until each has heard it.
import { errorFields, log } from "../../src/log.ts";
import type { Placement } from "@gateway/protocol/bridge-socket.ts";
import type { Placements } from "./placements.ts";

const CONCURRENCY = 50;
/** Pause before a connection that could not be notified is notified again. */
const RETRY_MS = 2_000;

type LostSessionsDependencies = {
  placements: Placements;
  bridgeLost(placement: Placement): Promise<unknown>;
  /** The next due time has changed. */
  rearm(): void;
};

export class LostSessions {
  readonly #deps: LostSessionsDependencies;
  readonly #notifying = new Set<string>();
  /** Until when those that could not be notified rest: they are the last of the list. */
  readonly #resting = new Map<string, number>();

  constructor(deps: LostSessionsDependencies) {
    this.#deps = deps;
  }

  /** When the first of those that are not being notified is to be; 0: at once. */
  nextDue(): number | null {
    if (this.#notifying.size >= CONCURRENCY) return null;
    for (const { connection } of this.#deps.placements.lost())
      if (!this.#notifying.has(connection)) return this.#resting.get(connection) ?? 0;
    return null;
  }

  clockSetBack(): void {
    this.#resting.clear();
  }

  /** Starts notifying those that have not heard it, without awaiting it. One that was placed again meanwhile is not on the list any more. */
  notify(): void {
    if (this.#notifying.size >= CONCURRENCY) return;
    for (const placement of this.#deps.placements.lost()) {
      if (this.#notifying.has(placement.connection)) continue;
      if ((this.#resting.get(placement.connection) ?? 0) > Date.now()) return;
      this.#notifying.add(placement.connection);
      void this.#notifyOne(placement);
      if (this.#notifying.size >= CONCURRENCY) return;
    }
    if (this.#notifying.size === 0) this.#resting.clear();
  }

  async #notifyOne(placement: Placement): Promise<void> {
    const { placements } = this.#deps;
    const { connection } = placement;
    try {
      await this.#deps.bridgeLost(placement);
      placements.removeLost(placement);
      this.#resting.delete(connection);
    } catch (error) {
      placements.postponeLost(placement);
      this.#resting.set(connection, Date.now() + RETRY_MS);
      log("pool.notify_failed", { connection, ...errorFields(error) });
    }
    this.#notifying.delete(connection);
    this.notify();
    this.#deps.rearm();
  }
}
