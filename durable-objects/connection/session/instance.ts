// The instance's state, stored: the pure state machine of `src/domain/instance/advance.ts` with a row behind it.
import type { GatewayFact } from "../../../src/domain/gateway-event.ts";
import type { InstanceNotice } from "../../../src/domain/instance/notices.ts";
import { initialState, type Effect, type InstanceState } from "../../../src/domain/instance/state.ts";
import { advance, nextTickAt, type Trigger } from "../../../src/domain/instance/advance.ts";
import { qrImage } from "../../../src/domain/instance/qr-image.ts";

export class Instance {
  readonly #sql: SqlStorage;
  #state: InstanceState;

  /** `now` (Unix ms) is when an instance that was never stored began. */
  constructor(sql: SqlStorage, now: number) {
    this.#sql = sql;
    this.#state = this.#stored() ?? initialState(now);
  }

  get state(): InstanceState {
    return this.#state;
  }

  /** Takes the step and stores it. What has to be done, and what customers are told, is the caller's to carry out. */
  apply(trigger: Trigger, now: number): { effects: readonly Effect[]; facts: GatewayFact[] } {
    const { state, effects, notices } = advance(this.#state, trigger, now);
    if (state !== this.#state) {
      this.#sql.exec("INSERT OR REPLACE INTO instance (one, state) VALUES (1, ?)", JSON.stringify(state));
      this.#state = state;
    }
    return { effects, facts: notices.map((notice) => factOf(notice, now)) };
  }

  /** The write of the last step was rolled back. */
  reload(): void {
    this.#state = this.#stored() ?? this.#state;
  }

  nextDue(): number | null {
    return nextTickAt(this.#state);
  }

  #stored(): InstanceState | null {
    const row = this.#sql.exec<{ state: string }>("SELECT state FROM instance").toArray()[0];
    // Written by this class alone.
    return row === undefined ? null : (JSON.parse(row.state) as InstanceState);
  }
}

function factOf({ src, event }: InstanceNotice, now: number): GatewayFact {
  if (event.type === "instance.status") return { src, at: now, event };
  return { src, at: now, event: { ...event, image: qrImage(event.raw) } };
}
