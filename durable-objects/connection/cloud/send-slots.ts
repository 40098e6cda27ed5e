// Limits the number of concurrent send requests to Graph, and queues the rest (docs/internals/cloud.md, "Sending").
import { SendPace } from "@gateway/domain/cloud/limits.ts";

export type Slot = {
  /** Called when Graph has responded. `throttled` means that Graph is currently rejecting further messages from the number. */
  answered(how: "taken" | "refused" | "throttled"): void;
  /** Called when the request takes long. Other messages then stop waiting for it, but its response is still used. */
  overdue(): void;
  free(): void;
};

type Waiting = { deadlineAt: number; resolve: (slot: Slot | null) => void };

export class SendSlots {
  readonly #pace = new SendPace();
  #waiting: Waiting[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;

  /** Waits first come, first served. `isAgain` marks a retry. Null if no slot frees up in time for a response by `deadlineAt`. */
  take(deadlineAt: number, isAgain: boolean): Promise<Slot | null> {
    const { promise, resolve } = Promise.withResolvers<Slot | null>();
    const waiting = { deadlineAt, resolve };
    if (isAgain) this.#waiting.unshift(waiting);
    else this.#waiting.push(waiting);
    this.#serve();
    return promise;
  }

  canAnswerBy(deadlineAt: number, now: number): boolean {
    return this.#pace.canAnswerBy(deadlineAt, now);
  }

  pausedMs(now: number): number {
    return this.#pace.pausedMs(now);
  }

  #serve(): void {
    const now = Date.now();
    const isInTime = ({ deadlineAt }: Waiting) => this.#pace.canAnswerBy(deadlineAt, now);
    const late = this.#waiting.filter((one) => !isInTime(one));
    if (late.length > 0) this.#waiting = this.#waiting.filter(isInTime);
    for (const { resolve } of late) resolve(null);
    while (this.#pace.canStart(now)) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      next.resolve(this.#begin(now));
    }
    const pausedMs = this.#pace.pausedMs(now);
    if (pausedMs === 0 || this.#waiting.length === 0 || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#serve();
    }, pausedMs);
  }

  #begin(begunAt: number): Slot {
    let counts = true;
    const free = () => {
      if (!counts) return;
      counts = false;
      this.#pace.free();
      this.#serve();
    };
    this.#pace.begin();
    return {
      answered: (how) => {
        const now = Date.now();
        if (how === "throttled") this.#pace.throttled(begunAt, now);
        else this.#pace.answered(begunAt, how === "taken" && this.#waiting.length > 0, now);
        free();
      },
      overdue: () => {
        this.#pace.overdue(begunAt, Date.now());
        free();
      },
      free,
    };
  }
}
