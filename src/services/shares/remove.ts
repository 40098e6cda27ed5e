import { and, eq } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { share } from "../../db/schema.ts";

/** Whether there was such a share. */
export async function removeShare(binding: D1Database, connectionId: number, userId: string): Promise<boolean> {
  const gone = await databaseOf(binding)
    .delete(share)
    .where(and(eq(share.connectionId, connectionId), eq(share.userId, userId)))
    .returning({ userId: share.userId });
  return gone.length > 0;
}
