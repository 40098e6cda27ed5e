// How many incoming files are under way at once: per session and per process, from the first byte until the file is stored.
import { Semaphore } from "async-mutex";

/** Of all sessions of the process together. */
export class ProcessSlots extends Semaphore {}

const PROCESS_SLOTS = new ProcessSlots(32);

export class TransferSlots {
  readonly #own: Semaphore;
  readonly #shared: ProcessSlots;
  readonly #maxWaiting: number;
  #waiting = 0;

  constructor(concurrency: number, maxWaiting: number, shared: ProcessSlots = PROCESS_SLOTS) {
    this.#own = new Semaphore(concurrency);
    this.#maxWaiting = maxWaiting;
    this.#shared = shared;
  }

  /** Runs `work` when its turn comes; null when too many wait already. The session's own bound comes first, so no session fills the other. */
  async run<T>(work: () => Promise<T>): Promise<T | null> {
    if (this.#waiting >= this.#maxWaiting) return null;
    this.#waiting += 1;
    return this.#own.runExclusive(() =>
      this.#shared.runExclusive(() => {
        this.#waiting -= 1;
        return work();
      }),
    );
  }
}
