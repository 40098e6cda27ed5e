// Limits look-ups of many numbers at once, which the network could take for a spammer's.
import { fail, type Failure, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { retryAfterSeconds } from "@gateway/domain/admission/sliding-window.ts";

/** Minimum interval between batches (docs/use/apis.md, "Groups, contacts, labels, channels"). */
const BATCH_INTERVAL_MS = 5_000;
/** A caller waits for its turn for at most this long. */
const MAX_WAIT_MS = 15_000;

export class BatchLimiter {
  #nextAt = 0;

  /** Takes the next turn and waits for it. Fails `rate_limited` when too many wait already. `now` in Unix ms. */
  async turn(now: number): Promise<Outcome<null>> {
    // A turn further ahead than can be taken was taken before the clock was set back: it no longer counts.
    if (this.#nextAt - now > MAX_WAIT_MS + BATCH_INTERVAL_MS) this.#nextAt = now;
    const waitMs = Math.max(0, this.#nextAt - now);
    if (waitMs > MAX_WAIT_MS) return fail(tooMany(waitMs - MAX_WAIT_MS));
    this.#nextAt = now + waitMs + BATCH_INTERVAL_MS;
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    return succeed(null);
  }
}

function tooMany(ms: number): Failure {
  return { code: "rate_limited", retryAfter: retryAfterSeconds(ms) };
}
