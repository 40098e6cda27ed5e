// Work that waits for something outside of the object, such as D1 or R2: one run at a time, and a pause after a failed one.
import { notAhead } from "@gateway/domain/set-back.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";
import type { StoredTimes } from "../shared/stored-times.ts";

type Settings = {
  /** Under which the pause is stored. */
  name: string;
  /** How long a run may take before the alarm looks again, and how long the pause after a failure is. */
  pauseMs: number;
  times: StoredTimes;
  onFailed: (error: unknown) => void;
  /** The run has ended, so the next due time has changed. */
  onEnded: () => void;
};

export class BackgroundTask {
  readonly #settings: Settings;
  #running = false;
  /** Until when this instance starts no run. Armed during a run too: should the object die, the next instance is woken to try again. */
  #notBefore: number | null = null;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** When a run that is due at `due` may start. Times in Unix ms. */
  notBefore(due: number, now: number): number {
    const { name, times } = this.#settings;
    return Math.max(due, notAhead(this.#notBefore ?? times.get(name) ?? 0, HOUR_MS, now));
  }

  /** Starts a run, unless one is under way. */
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
      // The disk is full: only this instance knows the pause.
    }
  }
}
