// Which connections of the account had deliveries fail at which of its endpoints: a list of the deliveries of a large account asks those,
// because it cannot ask all (docs/internals/delivery.md, "Lists in a large account").
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";
import type { Migrations } from "../shared/migrate.ts";

export const FAILING_MIGRATIONS: Migrations = [
  // The hour in which the connection last said so.
  `CREATE TABLE failing (endpoint_id TEXT, connection TEXT, hour INTEGER NOT NULL, PRIMARY KEY (endpoint_id, connection)) WITHOUT ROWID;`,
  // The hour in which old rows were last removed.
  "CREATE TABLE failing_purged (one INTEGER PRIMARY KEY CHECK (one = 1), hour INTEGER NOT NULL)",
];

/** A day more than deliveries are stored for (docs/internals/delivery.md, "Retention and bounds"). */
const RETENTION_MS = 8 * DAY_MS;
/** How many of them a list asks. */
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

  /** Those that failed last (UUIDs). */
  list(endpointId: string): string[] {
    return this.#sql
      .exec<{ connection: string }>("SELECT connection FROM failing WHERE endpoint_id = ? ORDER BY hour DESC LIMIT ?", endpointId, LISTED)
      .toArray()
      .map(({ connection }) => connection);
  }
}
