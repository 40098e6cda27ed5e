/**
 * One thing after the other. Signal sessions are read, stepped and written back over several awaits; two steps at once
 * would lose one of them (docs/durability.md, "How messages get lost").
 */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  take<T>(work: () => T | Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }

  /** Resolves when everything asked for so far is over. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
