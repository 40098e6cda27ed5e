import { and, desc, eq, notInArray } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { session } from "../../db/schema.ts";
import { LIMITS } from "../../domain/limits.ts";

/** After a new session: beyond the newest 20 of the user the oldest end. */
export async function endOldestSessions(binding: D1Database, userId: string): Promise<void> {
  const database = databaseOf(binding);
  const newest = database
    .select({ id: session.id })
    .from(session)
    .where(eq(session.userId, userId))
    .orderBy(desc(session.createdAt), desc(session.id))
    .limit(LIMITS.sessions);
  await database.delete(session).where(and(eq(session.userId, userId), notInArray(session.id, newest)));
}
