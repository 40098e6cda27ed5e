import { earliest, MINUTE_MS } from "@gateway/protocol/units.ts";
import type { ClockSteps } from "./clock-steps.ts";

export type Scheduled = {
  nextDue(now: number): number | null;
  /** Does the due work. The method may be called early or twice. */
  run(now: number): void;
  /** Called when the clock was set back (`ClockSteps`). Stored times are already corrected, but cached ones may be too far ahead. */
  clockSetBack?(now: number): void;
};

/** Minimum pause if work is still due after a run, so that the alarm cannot spin. */
const REPEAT_AFTER_MS = 20;
/** The pause after an exception doubles from here up to a minute. A full disk would otherwise cause 50 failures a second. */
const FIRST_PAUSE_MS = 1_000;
/** The platform must have lost an alarm that is this late, so the object sets it again. */
const LOST_AFTER_MS = MINUTE_MS;

/** An object's only alarm, shared by its components (docs/internals/scheduling.md, "Alarms"). */
export class Alarm {
  readonly #storage: DurableObjectStorage;
  readonly #scheduled: () => readonly Scheduled[];
  readonly #onError: (error: unknown) => void;
  readonly #clock: ClockSteps;
  readonly #pauses = new Map<Scheduled, { ms: number; until: number }>();
  #setFor: number | null | undefined;

  /** `scheduled` returns the components that may have work. `onError` logs the exception of one of them. */
  constructor(storage: DurableObjectStorage, clock: ClockSteps, scheduled: () => readonly Scheduled[], onError: (error: unknown) => void) {
    this.#storage = storage;
    this.#clock = clock;
    this.#scheduled = scheduled;
    this.#onError = onError;
  }

  rang(): void {
    this.#setFor = null;
  }

  /** Runs each component. One that throws pauses, and the others continue. Returns the earliest next alarm time. */
  run(now: number): number {
    for (const component of this.#scheduled()) {
      const pause = this.#pauses.get(component);
      if (pause !== undefined && pause.until > now) continue;
      try {
        component.run(now);
        this.#pauses.delete(component);
      } catch (error) {
        const ms = pause === undefined ? FIRST_PAUSE_MS : Math.min(2 * pause.ms, MINUTE_MS);
        this.#pauses.set(component, { ms, until: now + ms });
        this.#onError(error);
      }
    }
    return now + REPEAT_AFTER_MS;
  }

  covers(due: number | null): boolean {
    return due === null || (typeof this.#setFor === "number" && this.#setFor <= due);
  }

  /** Sets the alarm for the next due work, recomputed each time (docs/internals/scheduling.md, "Alarms"). */
  arm(now: number, notBefore: number): void {
    if (this.#clock.wasSetBack(now)) {
      this.#pauses.clear();
      for (const component of this.#scheduled()) component.clockSetBack?.(now);
    }
    const next = earliest(this.#scheduled().map((component) => this.#dueOf(component, now)));
    const due = next === null ? null : Math.max(notBefore, next);
    if (due === this.#setFor && (due === null || due > now - LOST_AFTER_MS)) return;
    this.#setFor = due;
    void (due === null ? this.#storage.deleteAlarm() : this.#storage.setAlarm(due));
  }

  #dueOf(component: Scheduled, now: number): number | null {
    const due = component.nextDue(now);
    return due === null ? null : Math.max(due, this.#pauses.get(component)?.until ?? 0);
  }
}
