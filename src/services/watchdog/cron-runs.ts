// The last runs of the cron events. They reveal a deployment whose crons do not fire, or whose tasks fail.
import { sql } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { cronRun } from "../../db/schema.ts";

export async function recordCronRuns(binding: D1Database, crons: readonly string[], now: number, succeeded: boolean): Promise<void> {
  await databaseOf(binding)
    .insert(cronRun)
    .values(crons.map((cron) => ({ cron, ranAt: now, succeededAt: succeeded ? now : null })))
    .onConflictDoUpdate({
      target: cronRun.cron,
      set: { ranAt: sql`excluded.ran_at`, succeededAt: sql`coalesce(excluded.succeeded_at, ${cronRun.succeededAt})` },
    });
}

export type CronRun = typeof cronRun.$inferSelect;

export function cronRuns(binding: D1Database): Promise<CronRun[]> {
  return databaseOf(binding).select().from(cronRun);
}
