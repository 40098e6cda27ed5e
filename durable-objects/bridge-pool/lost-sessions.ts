// Notifies connections whose bridge is gone, with bounded concurrency, and retries until it has reached each one.
import { errorFields, log } from "#root/src/log.ts";
import type { Placement } from "@gateway/protocol/bridge-socket.ts";
import type { Placements } from "./placements.ts";

const CONCURRENCY = 50;
const RETRY_MS = 2_000;

type LostSessionsDependencies = {
  placements: Placements;
  bridgeLost(placement: Placement): Promise<unknown>;
  rearm(): void;
};

export class LostSessions {
  readonly #deps: LostSessionsDependencies;
  readonly #notifying = new Set<string>();
  /** When to retry each connection that could not be reached. Such connections are moved to the end of the list of lost sessions. */
  readonly #resting = new Map<string, number>();

  constructor(deps: LostSessionsDependencies) {
    this.#deps = deps;
  }

  nextDue(): number | null {
    if (this.#notifying.size >= CONCURRENCY) return null;
    for (const { connection } of this.#deps.placements.lost())
      if (!this.#notifying.has(connection)) return this.#resting.get(connection) ?? 0;
    return null;
  }

  clockSetBack(): void {
    this.#resting.clear();
  }

  /** Starts pending notifications without awaiting them. Connections that have a new placement are no longer in the list. */
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
