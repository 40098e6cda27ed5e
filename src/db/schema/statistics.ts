// What all connections together, each account and each connection have counted (docs/internals/statistics.md, "Counting in the object").
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** `scope`: `all`, `user:<id>` or `connection:<uuid>`. `at`: the beginning of the hour or day, UTC, Unix ms. */
const counted = {
  scope: text("scope").notNull(),
  at: integer("at").notNull(),
  counts: text("counts", { mode: "json" }).$type<Record<string, number>>().notNull(),
};

/** Rows of connections are as they were pushed; the others are changed by what changes in those. */
export const hourlyCount = sqliteTable("hourly_count", counted, (table) => [primaryKey({ columns: [table.scope, table.at] })]);

/** The sums of their hours, kept longer than these. Rows are written in the order of time, by which they are purged. */
export const dailyCount = sqliteTable("daily_count", counted, (table) => [primaryKey({ columns: [table.scope, table.at] })]);
