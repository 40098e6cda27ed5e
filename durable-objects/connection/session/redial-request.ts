/** Pause before asking the bridge again. The bridge may also have lost its socket to the pool. It then reconnects that socket first. */
const ASK_AGAIN_MS = 500;

export class RedialRequest {
  readonly #isAway: () => boolean;
  readonly #ask: () => Promise<boolean>;
  #isAsking = false;
  #deadlineAt = 0;

  constructor(isAway: () => boolean, ask: () => Promise<boolean>) {
    this.#isAway = isAway;
    this.#ask = ask;
  }

  /** Keeps asking the bridge to reconnect until it responds or `deadlineAt` passes. The session skips the bridge's redial queue. */
  async until(deadlineAt: number): Promise<void> {
    // If a loop is already running, a caller with a later deadline extends it.
    this.#deadlineAt = this.#isAsking ? Math.max(this.#deadlineAt, deadlineAt) : deadlineAt;
    if (this.#isAsking) return;
    this.#isAsking = true;
    while (this.#isAway() && Date.now() < this.#deadlineAt) {
      if (await this.#ask().catch(() => false)) break;
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
    }
    this.#isAsking = false;
  }
}
