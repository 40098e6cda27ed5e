// Stored times after the clock was set back: no time that schedules work stays further ahead than its normal delay.
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { ACCOUNT_GUARD_MIGRATIONS, ACCOUNT_GUARD_TIMES } from "#root/durable-objects/account-guard/schema.ts";
import { POOL_MIGRATIONS, poolTimeColumns } from "#root/durable-objects/bridge-pool/schema.ts";
import { MIGRATIONS, TIME_COLUMNS } from "#root/durable-objects/connection/schema.ts";
import { ClockSteps, type TimeColumn } from "#root/durable-objects/shared/clock-steps.ts";
import { migrate } from "#root/durable-objects/shared/migrate.ts";
import { SET_BACK_MS } from "@gateway/domain/clock-set-back.ts";
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";

const NOW = Date.UTC(2035, 0, 1);

const OBJECTS = {
  connection: { migrations: MIGRATIONS, columns: TIME_COLUMNS },
  pool: { migrations: [["pool", POOL_MIGRATIONS]] as const, columns: poolTimeColumns(HOUR_MS) },
  "account guard": { migrations: ACCOUNT_GUARD_MIGRATIONS, columns: ACCOUNT_GUARD_TIMES },
};

/**
 * `delivery.resent_due_at` belongs to a resend in progress. Uploads drop expiries that are too far ahead themselves. The other tables are from
 * an earlier release and empty.
 */
const NOT_READ = new Set(["delivery.resent_due_at", "upload.expires_at", "push.due_at", "push_failed.due_at"]);

type Column = { name: string; type: string; notnull: number };

function withTables<T>(migrations: Parameters<typeof migrate>[1], run: (sql: SqlStorage) => T): Promise<T> {
  return runInDurableObject(env.CONNECTION.getByName(crypto.randomUUID()), async (_object, { storage }) => {
    await storage.deleteAlarm();
    await storage.deleteAll();
    migrate(storage, migrations);
    return run(storage.sql);
  });
}

const columnsOf = (sql: SqlStorage, table: string) =>
  sql.exec<Column>(`SELECT name, type, "notnull" FROM pragma_table_info('${table}')`).toArray();

/** A row with this time and the table's required columns. */
function insert(sql: SqlStorage, { table, column, where = "" }: TimeColumn, at: number): void {
  sql.exec("DELETE FROM " + table);
  const state = /state = (\d)/.exec(where)?.[1];
  const type = /type = '(\w+)'/.exec(where)?.[1];
  const given: Record<string, unknown> = { type, one: 1, queue_id: 1, state: state === undefined ? "asked" : Number(state), [column]: at };
  const needed = columnsOf(sql, table).filter(({ name, notnull }) => notnull === 1 || name in given);
  const values = needed.map(({ name, type }) => given[name] ?? (type === "TEXT" || type === "BLOB" ? crypto.randomUUID() : 1));
  sql.exec(
    `INSERT INTO ${table} (${needed.map(({ name }) => name).join()}) VALUES (${needed.map(() => "?").join()})`,
    ...(values as SqlStorageValue[]),
  );
}

describe.each(Object.entries(OBJECTS))("the %s", (_name, { migrations, columns }) => {
  it.each(columns.map((column) => [`${column.table}.${column.column}`, column] as const))("mends %s", (_column, column) =>
    withTables(migrations, (sql) => {
      if (column.table === "delivery") insert(sql, { table: "endpoint", column: "created_at", longestMs: 0 }, NOW);
      const read = () => sql.exec<{ at: number }>(`SELECT ${column.column} AS at FROM ${column.table}`).one().at;
      insert(sql, column, NOW + column.longestMs + DAY_MS);
      const clock = new ClockSteps(sql, columns, NOW);
      const mended = column.isExpiry === true ? column.longestMs : 0;
      expect(read()).toBe(NOW + mended);
      insert(sql, column, NOW + column.longestMs);
      expect(clock.wasSetBack(NOW)).toBe(false);
      expect(clock.wasSetBack(NOW - SET_BACK_MS)).toBe(false);
      expect(read()).toBe(NOW + column.longestMs);
      expect(clock.wasSetBack(NOW - DAY_MS)).toBe(true);
      expect(read()).toBe(NOW - DAY_MS + mended);
    }),
  );

  it("knows all its due times and expiries", () =>
    withTables(migrations, (sql) => {
      const tables = sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").toArray();
      const dues = tables.flatMap(({ name: table }) =>
        columnsOf(sql, table)
          .filter(({ name }) => /(?:due|expires)_at$/.test(name))
          .map(({ name }) => `${table}.${name}`),
      );
      const known = new Set(columns.map(({ table, column }) => `${table}.${column}`));
      expect(dues.filter((due) => !known.has(due) && !NOT_READ.has(due))).toEqual([]);
    }));
});
