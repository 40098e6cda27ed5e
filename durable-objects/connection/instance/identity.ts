// The copy of this connection's D1 record, and values derived from it.
import type { InstanceRef } from "@gateway/domain/gateway-event.ts";
import { ConnectionRecord } from "@gateway/protocol/connection.ts";
import { SessionSettings } from "@gateway/protocol/session-socket.ts";
import { DEFAULT_INSTANCE_SETTINGS, type InstanceSettings } from "@gateway/protocol/instance-settings.ts";
import { MISSING_PROXY } from "#root/src/services/proxies/address.ts";
import type { DataKeys } from "../store/data-keys.ts";

const PROXY = "proxy address";

export class Identity {
  readonly #sql: SqlStorage;
  readonly #objectName: string;
  readonly #keys: DataKeys;
  readonly #mayUsePasskey: boolean;
  #record: ConnectionRecord | null;
  #isUnreadable = false;

  /** `objectName` is the UUID, known even without a record. `mayUsePasskey` says whether passkeys may confirm a link here. */
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
    // A placeholder that prevents traffic without the proxy. The object reads the URL from D1 at its next start.
    const shown = { ...record, proxy_url: proxy !== null && sealed === null ? MISSING_PROXY : null };
    this.#sql.exec("INSERT OR REPLACE INTO identity (one, record, proxy) VALUES (1, ?, ?)", JSON.stringify(shown), sealed);
    this.#record = record;
    this.#isUnreadable = false;
  }
}
