import { ConnectionRecord } from "../../../src/protocol/connection.ts";

/** The copy of this connection's record in D1. Null until the connection has been created. */
export class Identity {
  readonly #sql: SqlStorage;
  #record: ConnectionRecord | null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    const row = sql.exec<{ record: string }>("SELECT record FROM identity").toArray()[0];
    this.#record = row === undefined ? null : ConnectionRecord.parse(JSON.parse(row.record));
  }

  get record(): ConnectionRecord | null {
    return this.#record;
  }

  store(record: ConnectionRecord): void {
    this.#sql.exec("INSERT OR REPLACE INTO identity (one, record) VALUES (1, ?)", JSON.stringify(record));
    this.#record = record;
  }
}
