// The stored state of the instance: runs the pure state machine of `src/domain/instance/advance.ts` over one row.
import type { GatewayFact } from "@gateway/domain/gateway-event.ts";
import type { InstanceNotice } from "@gateway/domain/instance/notices.ts";
import { initialState, type Effect, type InstanceState, withoutTimesAhead } from "@gateway/domain/instance/state.ts";
import { advance, nextTickAt, type Trigger } from "@gateway/domain/instance/advance.ts";
import { qrImage } from "@gateway/domain/instance/qr-image.ts";
import type { StatusHours } from "../statistics/status-hours.ts";

export class Instance {
  readonly #sql: SqlStorage;
  readonly #statusHours: Pick<StatusHours, "changed">;
  #state: InstanceState;

  constructor(sql: SqlStorage, statusHours: Pick<StatusHours, "changed">, now: number) {
    this.#sql = sql;
    this.#statusHours = statusHours;
    this.#state = this.#stored() ?? initialState(now);
    this.clockSetBack(now);
  }

  /** Also called on startup, because the clock may have been set back while the object was not in memory. */
  clockSetBack(now: number): void {
    const mended = withoutTimesAhead(this.#state, now);
    if (mended === this.#state) return;
    this.#state = mended;
    this.#store();
  }

  get state(): InstanceState {
    return this.#state;
  }

  /** Applies the trigger and stores the new state. The caller performs the effects and delivers the events. */
  apply(trigger: Trigger, now: number): { effects: readonly Effect[]; facts: GatewayFact[] } {
    const { state, effects, notices } = advance(this.#state, trigger, now);
    if (state !== this.#state) {
      this.#statusHours.changed(this.#state, state, now);
      this.#state = state;
      this.#store();
    }
    return { effects, facts: notices.map((notice) => factOf(notice, now)) };
  }

  rolledBack(): void {
    this.#state = this.#stored() ?? this.#state;
  }

  savepoint(): () => void {
    return () => this.rolledBack();
  }

  nextDue(): number | null {
    return nextTickAt(this.#state);
  }

  #store(): void {
    this.#sql.exec("INSERT OR REPLACE INTO instance (one, state) VALUES (1, ?)", JSON.stringify(this.#state));
  }

  #stored(): InstanceState | null {
    const row = this.#sql.exec<{ state: string }>("SELECT state FROM instance").toArray()[0];
    return row === undefined ? null : (JSON.parse(row.state) as InstanceState);
  }
}

function factOf({ key, event }: InstanceNotice, now: number): GatewayFact {
  if (event.type === "instance.status") return { key, at: now, event };
  return { key, at: now, event: { ...event, image: qrImage(event.raw) } };
}
