// Notifies connections that their bridge is gone, some at a time, until each has heard it.
import { errorFields, log } from "../../src/log.ts";
import type { Placement } from "../../src/protocol/bridge-socket.ts";
import type { Placements } from "./placements.ts";

const CONCURRENCY = 50;
/** Pause before connections that could not be notified are notified again. */
const RETRY_MS = 2_000;

type LostSessionsDependencies = {
  placements: Placements;
  bridgeLost(placement: Placement): Promise<unknown>;
  /** The next due time has changed. */
  rearm(): void;
};

export class LostSessions {
  readonly #deps: LostSessionsDependencies;
  #notifying = false;
  #retryAt: number | null = null;

  constructor(deps: LostSessionsDependencies) {
    this.#deps = deps;
  }

  nextDue(): number | null {
    return this.#retryAt;
  }

  /** Starts notifying those that have not heard it, without awaiting it. */
  notify(): void {
    if (this.#notifying) return;
    const lost = this.#deps.placements.lost(CONCURRENCY);
    this.#retryAt = null;
    if (lost.length > 0) void this.#notifyAll(lost);
  }

  async #notifyAll(lost: readonly Placement[]): Promise<void> {
    this.#notifying = true;
    const notified = await Promise.all(lost.map((placement) => this.#notifyOne(placement)));
    this.#notifying = false;
    if (notified.includes(false)) this.#retryAt = Date.now() + RETRY_MS;
    else this.notify();
    this.#deps.rearm();
  }

  async #notifyOne(placement: Placement): Promise<boolean> {
    try {
      await this.#deps.bridgeLost(placement);
      this.#deps.placements.removeLost(placement);
      return true;
    } catch (error) {
      this.#deps.placements.postponeLost(placement, Date.now());
      log("pool.notify_failed", { connection: placement.connection, ...errorFields(error) });
      return false;
    }
  }
}
