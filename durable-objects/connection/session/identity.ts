// The copy of this connection's record in D1, and what derives from it.
import type { InstanceRef } from "../../../src/domain/gateway-event.ts";
import { ConnectionRecord } from "../../../src/protocol/connection.ts";
import { SessionSettings } from "../../../src/protocol/session-socket.ts";
import { DEFAULT_INSTANCE_SETTINGS, type InstanceSettings } from "../../../src/protocol/instance-settings.ts";

export class Identity {
  readonly #sql: SqlStorage;
  readonly #objectName: string;
  #record: ConnectionRecord | null;

  /** `objectName`: the connection's UUID, also while there is no record here yet. */
  constructor(sql: SqlStorage, objectName: string) {
    this.#sql = sql;
    this.#objectName = objectName;
    const row = sql.exec<{ record: string }>("SELECT record FROM identity").toArray()[0];
    this.#record = row === undefined ? null : ConnectionRecord.parse(JSON.parse(row.record));
  }

  /** Null until the connection has been created. */
  get record(): ConnectionRecord | null {
    return this.#record;
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

  /** The settings that the session itself follows (docs/apis.md, "Settings and pacing"). */
  get sessionSettings(): SessionSettings {
    // Names are the same on both sides; the schema leaves out what does not concern the session.
    return SessionSettings.parse({ ...this.settings, proxy_url: this.#record?.proxy_url ?? null });
  }

  /** How this instance is named in events and deliveries. */
  instanceRef(phone: string | null): InstanceRef {
    const { id = 0, name = "" } = this.#record ?? {};
    return { id, uuid: this.uuid, name, phone };
  }

  /** The connection is being removed: none of its keys is accepted any more. */
  forget(): void {
    this.#sql.exec("DELETE FROM identity");
    this.#record = null;
  }

  store(record: ConnectionRecord): void {
    this.#sql.exec("INSERT OR REPLACE INTO identity (one, record) VALUES (1, ?)", JSON.stringify(record));
    this.#record = record;
  }
}
