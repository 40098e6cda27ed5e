// Counts per deployment, account and connection (docs/internals/statistics.md, "Counting in the object").
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** `scope`: `all`, `user:<id>` or `connection:<uuid>`. `at`: start of the hour or day (UTC), Unix ms. */
const counted = {
  scope: text("scope").notNull(),
  at: integer("at").notNull(),
  counts: text("counts", { mode: "json" }).$type<Record<string, number>>().notNull(),
};

/** Connections push their rows; the rows of their account and the deployment change by the same difference. */
export const hourlyCount = sqliteTable("hourly_count", counted, (table) => [primaryKey({ columns: [table.scope, table.at] })]);

/** Daily sums of the hourly counts, kept longer. Rows are purged in chronological order. */
export const dailyCount = sqliteTable("daily_count", counted, (table) => [primaryKey({ columns: [table.scope, table.at] })]);
