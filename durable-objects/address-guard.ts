// One object per client address: the times of its failed keys and the end of a block.
import { createDurable } from "itty-durable";
import { countFailure, expiresAt, type GuardState, type GuardVerdict } from "../src/domain/admission/address-guard.ts";

// The library types results `any`; this is what its class is.
const Base = createDurable({ autoPersist: true }) as unknown as new (
  state: DurableObjectState,
  env: unknown,
) => { state: DurableObjectState; destroy(options: { reset: boolean }): Promise<unknown> };

export class AddressGuard extends Base {
  guard: GuardState = { failures: [], blockedUntil: 0 };

  /** Counts a missing or invalid key at `now` (Unix ms). */
  async fail(now: number): Promise<GuardVerdict> {
    const { state, verdict } = countFailure(this.guard, now);
    if (state !== this.guard) {
      this.guard = state;
      // Not awaited, so that the alarm is written together with the state that the library stores next; the output gate holds
      // the answer until both are durable.
      void this.state.storage.setAlarm(expiresAt(state));
    }
    return verdict;
  }

  /** The block and all failures have expired. */
  async alarm(): Promise<void> {
    await this.state.storage.deleteAll();
    this.guard = { failures: [], blockedUntil: 0 };
  }
}
