// Connections whose deliveries to an account endpoint failed recently.
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";
import type { Migrations } from "../shared/migrate.ts";

export const FAILING_MIGRATIONS: Migrations = [
  `CREATE TABLE failing (endpoint_id TEXT, connection TEXT, hour INTEGER NOT NULL, PRIMARY KEY (endpoint_id, connection)) WITHOUT ROWID;`,
  "CREATE TABLE failing_purged (one INTEGER PRIMARY KEY CHECK (one = 1), hour INTEGER NOT NULL)",
];

/** How long hourly failures are kept, which is a day longer than deliveries (docs/internals/delivery.md, "Retention and bounds"). */
const RETENTION_MS = 8 * DAY_MS;
const LISTED = 200;

export class FailingConnections {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  add(endpointId: string, connection: string, now: number): void {
    const hour = Math.floor(now / HOUR_MS);
    this.#sql.exec(
      `INSERT INTO failing (endpoint_id, connection, hour) VALUES (?, ?, ?)
       ON CONFLICT (endpoint_id, connection) DO UPDATE SET hour = excluded.hour WHERE hour <> excluded.hour`,
      endpointId,
      connection,
      hour,
    );
    const claim = "INSERT INTO failing_purged (one, hour) VALUES (1, ?1) ON CONFLICT (one) DO UPDATE SET hour = ?1 WHERE hour <> ?1";
    if (this.#sql.exec(claim, hour).rowsWritten > 0) this.#sql.exec("DELETE FROM failing WHERE hour < ?", hour - RETENTION_MS / HOUR_MS);
  }

  list(endpointId: string): string[] {
    return this.#sql
      .exec<{ connection: string }>("SELECT connection FROM failing WHERE endpoint_id = ? ORDER BY hour DESC LIMIT ?", endpointId, LISTED)
      .toArray()
      .map(({ connection }) => connection);
  }
}
