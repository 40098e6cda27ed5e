// The client version set by an administrator (docs/operate/bridges.md, "Client version").
import type { ClientVersionSetting, ToBridgeControl } from "@gateway/protocol/bridge-socket.ts";

export class PoolClientVersion {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  get(): ClientVersionSetting {
    return this.#stored() ?? { version: null, max: null };
  }

  set({ version, max }: ClientVersionSetting, now: number): void {
    this.#sql.exec("INSERT OR REPLACE INTO client_version (one, version, max, set_at) VALUES (1, ?, ?, ?)", version, max, now);
  }

  frame(): Extract<ToBridgeControl, { type: "client_version" }> | null {
    const stored = this.#stored();
    return stored === undefined ? null : { type: "client_version", ...stored };
  }

  #stored(): ClientVersionSetting | undefined {
    return this.#sql.exec<ClientVersionSetting>("SELECT version, max FROM client_version").toArray()[0];
  }
}
