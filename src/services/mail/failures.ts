// The last email that the platform refused. It is recorded for administrators, because an email might not reach them.
import { eq, sql } from "drizzle-orm";
import type { MailFailure } from "@gateway/domain/fleet/self-check.ts";
import { databaseOf } from "../../db/database.ts";
import { mailState } from "../../db/schema.ts";

export async function recordMailFailure(binding: D1Database, error: string, now: number): Promise<void> {
  const failure = { failedAt: now, error, recoveredAt: null };
  await databaseOf(binding)
    .insert(mailState)
    .values({ one: 1, ...failure })
    .onConflictDoUpdate({ target: mailState.one, set: failure });
}

/** Writes only if an email was refused before and none has been accepted since. */
export async function recordMailSuccess(binding: D1Database, now: number): Promise<void> {
  await databaseOf(binding)
    .update(mailState)
    .set({ recoveredAt: now })
    .where(sql`${mailState.one} = 1 AND ${mailState.recoveredAt} IS NULL`);
}

export async function mailFailure(binding: D1Database): Promise<MailFailure | null> {
  const [row] = await databaseOf(binding).select().from(mailState).where(eq(mailState.one, 1));
  return row ?? null;
}
