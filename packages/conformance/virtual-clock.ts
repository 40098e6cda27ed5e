// Timers that need no real waiting, in every runtime. The fake timers of test libraries exist only in some runtimes.

const TURNS = 30;
const { setTimeout: realSetTimeout, clearTimeout: realClearTimeout } = globalThis;

/** Lets all pending work run that does not wait for a timer, such as reading a body. */
function turn(): Promise<void> {
  const next = (globalThis as { setImmediate?: (run: () => void) => unknown }).setImmediate ?? realSetTimeout;
  return new Promise((resolve) => {
    next(resolve);
  });
}

export class VirtualClock {
  readonly #timers = new Map<number, { at: number; run: () => void }>();
  #now = 0;
  #created = 0;
  /** The number of timers that fired, because nothing cleared them in time. */
  ran = 0;

  /** Replaces the runtime's timers until `uninstall`. */
  static install(): VirtualClock {
    const clock = new VirtualClock();
    const set = (run: () => void, ms = 0): number => {
      clock.#created += 1;
      clock.#timers.set(clock.#created, { at: clock.#now + ms, run });
      return clock.#created;
    };
    Object.assign(globalThis, { setTimeout: set, clearTimeout: (id: number) => clock.#timers.delete(id) });
    return clock;
  }

  uninstall(): void {
    Object.assign(globalThis, { setTimeout: realSetTimeout, clearTimeout: realClearTimeout });
  }

  /** Advances the time from timer to timer until the promise settles. */
  async ended<T>(promise: Promise<T>): Promise<T> {
    const state = { settled: false };
    const settle = (): void => {
      state.settled = true;
    };
    promise.then(settle, settle);
    for (;;) {
      for (let turns = 0; turns < TURNS && !state.settled; turns += 1) await turn();
      if (state.settled) return promise;
      const [first] = [...this.#timers].toSorted(([, a], [, b]) => a.at - b.at);
      if (first === undefined) continue;
      this.#timers.delete(first[0]);
      this.#now = Math.max(this.#now, first[1].at);
      this.ran += 1;
      first[1].run();
    }
  }
}
