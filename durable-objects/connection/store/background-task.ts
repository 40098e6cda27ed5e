// Asynchronous work outside the object, such as calls to D1 or R2. Only one run is active at a time, and a failure causes a pause.
import { notAhead } from "@gateway/domain/clock-set-back.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";
import type { StoredTimes } from "../../shared/stored-times.ts";

type Settings = {
  name: string;
  /** Maximum duration of a run before the alarm retries, and the pause after a failure. */
  pauseMs: number;
  times: StoredTimes;
  onFailed: (error: unknown) => void;
  onEnded: () => void;
};

export class BackgroundTask {
  readonly #settings: Settings;
  #running = false;
  /** No run starts before this time. It is also set during a run, so that the next instance retries if the object is evicted. */
  #notBefore: number | null = null;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  notBefore(due: number, now: number): number {
    const { name, times } = this.#settings;
    return Math.max(due, notAhead(this.#notBefore ?? times.get(name) ?? 0, HOUR_MS, now));
  }

  start(now: number, run: () => Promise<void>): void {
    this.#notBefore = now + this.#settings.pauseMs;
    if (this.#running) return;
    this.#running = true;
    void this.#run(run);
  }

  async #run(run: () => Promise<void>): Promise<void> {
    const { name, times, onEnded, onFailed } = this.#settings;
    try {
      await run();
      this.#notBefore = null;
      times.delete(name);
    } catch (error) {
      onFailed(error);
      this.#storePause();
    }
    this.#running = false;
    onEnded();
  }

  #storePause(): void {
    const { name, times } = this.#settings;
    try {
      if (this.#notBefore !== null) times.set(name, this.#notBefore);
    } catch {
      // The disk is full, so the pause exists only in memory.
    }
  }
}
