// One object per client address: its whole state is the ring of failed keys and the end of a block.
import { createDurable } from "itty-durable";
import { countFailure, forgettableAt, type GuardState, type GuardVerdict } from "../src/domain/admission/address-guard.ts";

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
      // Not waited for: so it is written in one step with what the library keeps afterwards, and the answer waits for both.
      void this.state.storage.setAlarm(forgettableAt(state));
    }
    return verdict;
  }

  /** Nothing is known of this address any more. */
  async alarm(): Promise<void> {
    await this.state.storage.deleteAll();
    this.guard = { failures: [], blockedUntil: 0 };
  }
}
