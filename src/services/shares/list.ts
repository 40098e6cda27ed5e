import { asc, eq } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { share, user } from "../../db/schema.ts";

export type Share = { userId: string; email: string; name: string; role: "operator" | "viewer"; createdAt: number };

/** Whom the connection is shared with, oldest first. */
export async function listShares(binding: D1Database, connectionId: number): Promise<Share[]> {
  return databaseOf(binding)
    .select({ userId: share.userId, email: user.email, name: user.name, role: share.role, createdAt: share.createdAt })
    .from(share)
    .innerJoin(user, eq(user.id, share.userId))
    .where(eq(share.connectionId, connectionId))
    .orderBy(asc(share.createdAt), asc(share.userId));
}
