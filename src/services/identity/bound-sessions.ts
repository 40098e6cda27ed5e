import { and, desc, eq, notInArray } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { session } from "../../db/schema.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import type { Env } from "../../env.ts";
import { endStreams } from "../accounts/streams.ts";

/** After a new session: beyond the newest 20 of the user the oldest end, and their streams. */
export async function endOldestSessions(env: Pick<Env, "DB" | "ACCOUNT_GUARD">, userId: string): Promise<void> {
  const database = databaseOf(env.DB);
  const newest = database
    .select({ id: session.id })
    .from(session)
    .where(eq(session.userId, userId))
    .orderBy(desc(session.createdAt), desc(session.id))
    .limit(LIMITS.sessions);
  const ended = await database
    .delete(session)
    .where(and(eq(session.userId, userId), notInArray(session.id, newest)))
    .returning({ id: session.id });
  for (const { id } of ended) await endStreams(env, userId, { credential: `session:${id}` });
}
