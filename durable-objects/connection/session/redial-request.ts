// A bridge whose sockets were all lost at once dials again one after the other (docs/internals/bridges.md, "Bridges, leases and generations"). A
// caller who waits for one of its sessions does not wait for that turn.

/** The bridge's own socket to the pool may be gone as well, and is back first. */
const ASK_AGAIN_MS = 500;

export class RedialRequest {
  readonly #isAway: () => boolean;
  readonly #ask: () => Promise<boolean>;
  #isAsking = false;

  /** `ask`: false when the bridge could not be told. */
  constructor(isAway: () => boolean, ask: () => Promise<boolean>) {
    this.#isAway = isAway;
    this.#ask = ask;
  }

  /** Asks while the session's socket is gone, until the bridge has been told, or `deadlineAt` (Unix ms). */
  async until(deadlineAt: number): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    while (this.#isAway() && Date.now() < deadlineAt) {
      // A pool that cannot be reached is asked again.
      if (await this.#ask().catch(() => false)) break;
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
    }
    this.#isAsking = false;
  }
}
