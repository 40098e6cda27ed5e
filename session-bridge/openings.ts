/** Sessions open a few at a time: after a restart hundreds of handshakes at once would starve the ones already open. */
export class Openings {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Resolves with a function that gives the place back; calling it again does nothing. */
  async take(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    };
  }
}
