import { asc, eq, and } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { share, user } from "../../db/schema.ts";
import { fail, type Outcome } from "../../protocol/failures.ts";
import type { ConnectionRow } from "../connections/record.ts";
import { findUserByEmail } from "../users/user-table.ts";

export type Share = { userId: string; email: string; name: string; role: "operator" | "viewer"; createdAt: number };

/** The shares of a connection, oldest first. */
export async function listShares(binding: D1Database, connectionId: number): Promise<Share[]> {
  return databaseOf(binding)
    .select({ userId: share.userId, email: user.email, name: user.name, role: share.role, createdAt: share.createdAt })
    .from(share)
    .innerJoin(user, eq(user.id, share.userId))
    .where(eq(share.connectionId, connectionId))
    .orderBy(asc(share.createdAt), asc(share.userId));
}

/**
 * Shares the connection with the user of this address, or changes the role of one who has it already. Fails `user_not_found`,
 * also for an unverified address, so that nobody can take another's share by signing up first.
 */
export async function addShare(
  binding: D1Database,
  row: ConnectionRow,
  email: string,
  role: Share["role"],
  now: number,
): Promise<Outcome<Share>> {
  const guest = await findUserByEmail(binding, email);
  if (guest === null || !guest.emailVerified) return fail("user_not_found");
  if (guest.id === row.ownerId) {
    return fail("validation_error", { issues: [{ field: "email", issue: "this is the owner" }] });
  }
  const [stored] = await databaseOf(binding)
    .insert(share)
    .values({ connectionId: row.id, userId: guest.id, role, createdAt: now })
    .onConflictDoUpdate({ target: [share.connectionId, share.userId], set: { role } })
    .returning();
  return { ok: true, value: { userId: guest.id, email: guest.email, name: guest.name, role, createdAt: stored?.createdAt ?? now } };
}

/** Returns whether there was such a share. */
export async function removeShare(binding: D1Database, connectionId: number, userId: string): Promise<boolean> {
  const gone = await databaseOf(binding)
    .delete(share)
    .where(and(eq(share.connectionId, connectionId), eq(share.userId, userId)))
    .returning({ userId: share.userId });
  return gone.length > 0;
}
