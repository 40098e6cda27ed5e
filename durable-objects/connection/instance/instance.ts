// The stored state of the instance: runs the pure state machine of `src/domain/instance/advance.ts` over one row.
import type { GatewayFact, InstanceRef } from "@gateway/domain/gateway-event.ts";
import type { InstanceNotice } from "@gateway/domain/instance/notices.ts";
import { initialState, type Effect, type InstanceState, withoutTimesAhead } from "@gateway/domain/instance/state.ts";
import { advance, nextTickAt, type Trigger } from "@gateway/domain/instance/advance.ts";
import { qrImage } from "@gateway/domain/instance/qr-image.ts";
import { ConnectionRecord } from "@gateway/protocol/connection.ts";
import { SessionSettings } from "@gateway/protocol/session-socket.ts";
import { DEFAULT_INSTANCE_SETTINGS, type InstanceSettings } from "@gateway/protocol/instance-settings.ts";
import type { StatusHours } from "../statistics/push.ts";
import { MISSING_PROXY } from "#root/src/services/proxies/find.ts";
import type { DataKeys } from "../data-keys.ts";

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

  /** Also called at start, because the clock may have been set back while the object was not in memory. */
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

  reload(): void {
    this.#state = this.#stored() ?? this.#state;
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

function factOf({ src, event }: InstanceNotice, now: number): GatewayFact {
  if (event.type === "instance.status") return { src, at: now, event };
  return { src, at: now, event: { ...event, image: qrImage(event.raw) } };
}

// The copy of this connection's D1 record, and values derived from it.
const PROXY = "proxy address";

export class Identity {
  readonly #sql: SqlStorage;
  readonly #objectName: string;
  readonly #keys: DataKeys;
  readonly #mayUsePasskey: boolean;
  #record: ConnectionRecord | null;
  #isUnreadable = false;

  /** `objectName`: the UUID, known without a record. `mayUsePasskey`: passkey confirmation is allowed here. */
  constructor(sql: SqlStorage, objectName: string, keys: DataKeys, mayUsePasskey = false) {
    this.#mayUsePasskey = mayUsePasskey;
    this.#sql = sql;
    this.#objectName = objectName;
    this.#keys = keys;
    const row = sql.exec<{ record: string; proxy: ArrayBuffer | null }>("SELECT record, proxy FROM identity").toArray()[0];
    this.#record = row === undefined ? null : ConnectionRecord.parse(JSON.parse(row.record));
    if (row === undefined || this.#record === null) return;
    if (row.proxy !== null) this.#record.proxy_url = keys.vault()?.open(new Uint8Array(row.proxy), PROXY) ?? MISSING_PROXY;
    this.#isUnreadable = this.#record.proxy_url === MISSING_PROXY;
  }

  get record(): ConnectionRecord | null {
    return this.#record;
  }

  /** True if the proxy's URL cannot be read: its key is missing, or D1 did not have the URL. */
  get isUnreadable(): boolean {
    return this.#isUnreadable;
  }

  get uuid(): string {
    return this.#record?.uuid ?? this.#objectName;
  }

  get kind(): ConnectionRecord["kind"] {
    return this.#record?.kind ?? "session";
  }

  get settings(): InstanceSettings {
    return this.#record?.settings ?? DEFAULT_INSTANCE_SETTINGS;
  }

  get sessionSettings(): SessionSettings {
    // The schema drops settings that do not concern the session (docs/use/apis.md, "Settings and pacing").
    return SessionSettings.parse({ ...this.settings, proxy_url: this.#record?.proxy_url ?? null, passkey: this.#mayUsePasskey });
  }

  instanceRef(phone: string | null): InstanceRef {
    const { id = 0, name = "" } = this.#record ?? {};
    return { id, uuid: this.uuid, name, phone };
  }

  forget(): void {
    this.#sql.exec("DELETE FROM identity");
    this.#record = null;
  }

  store(record: ConnectionRecord): void {
    const { proxy_url: proxy } = record;
    const sealed = proxy === null ? null : (this.#keys.vault()?.seal(proxy, PROXY) ?? null);
    // A placeholder that keeps traffic from bypassing the proxy. The object reads the URL from D1 at its next start.
    const shown = { ...record, proxy_url: proxy !== null && sealed === null ? MISSING_PROXY : null };
    this.#sql.exec("INSERT OR REPLACE INTO identity (one, record, proxy) VALUES (1, ?, ?)", JSON.stringify(shown), sealed);
    this.#record = record;
    this.#isUnreadable = false;
  }
}
