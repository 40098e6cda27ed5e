// A connection's counts, in its object and in D1.
import { env } from "cloudflare:workers";
import type { Counts } from "@gateway/domain/statistics/counts.ts";
import { sumOf } from "@gateway/domain/statistics/report.ts";
import type { TestConnection } from "../fakes/connection.ts";

/** All counts of the object over all hours, without zeros and modification times. */
export async function countsOf(connection: TestConnection): Promise<Counts> {
  const hours = await connection.sql<{ hour: number; counts: string }>("SELECT hour, counts FROM counted_hour");
  const [running] = await connection.sql<{ counts: string | null }>("SELECT counts FROM progress");
  const current = JSON.parse(running?.counts ?? '{"hour":0,"counts":{}}') as { hour: number; counts: Counts };
  const all = hours.map(({ counts }) => JSON.parse(counts) as Counts);
  return withoutTimes(sumOf(hours.some(({ hour }) => hour === current.hour) ? all : [...all, current.counts]));
}

export const withoutTimes = (counts: Counts): Counts =>
  Object.fromEntries(Object.entries(counts).filter(([name]) => !name.endsWith("_ms")));

export type Stored = { scope: string; at: number; counts: Counts };

/** D1 rows of one connection, its account, or all. */
export async function stored(table: "hourly_count" | "daily_count", scope: string): Promise<Stored[]> {
  const { results } = await env.DB.prepare(`SELECT scope, at, counts FROM ${table} WHERE scope = ? ORDER BY at`)
    .bind(scope)
    .all<{ scope: string; at: number; counts: string }>();
  return results.map((row) => ({ ...row, counts: JSON.parse(row.counts) as Counts }));
}

/** Totals over all rows of a scope. */
export async function total(table: "hourly_count" | "daily_count", scope: string): Promise<Counts> {
  return withoutTimes(sumOf((await stored(table, scope)).map(({ counts }) => counts)));
}
