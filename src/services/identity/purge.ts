// Deletes identity rows that no longer have any effect: expired sessions and links, and unconfirmed sign-ups.
import { and, eq, isNull, ne, lt, notExists, sql } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { session, account, connection, user, verification } from "../../db/schema.ts";
import { MINUTE_MS, DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";

const UNCONFIRMED_MS = DAY_MS;

/** Called every minute, but deletes only once an hour. Keeps users of an external issuer, whether confirmed or not. `now` is in Unix ms. */
export async function purgeIdentityRows(binding: D1Database, now: number): Promise<void> {
  if (now % HOUR_MS >= MINUTE_MS) return;
  const database = databaseOf(binding);
  const outside = and(eq(account.userId, user.id), ne(account.providerId, "credential"));
  const signIns = database
    .select({ one: sql`1` })
    .from(account)
    .where(outside);
  const owned = database
    .select({ one: sql`1` })
    .from(connection)
    .where(eq(connection.ownerId, user.id));
  await database.batch([
    database.delete(session).where(lt(session.expiresAt, new Date(now))),
    database.delete(verification).where(lt(verification.expiresAt, new Date(now))),
    database
      .delete(user)
      .where(
        and(
          eq(user.emailVerified, false),
          isNull(user.invitedAt),
          eq(user.status, "active"),
          lt(user.createdAt, new Date(now - UNCONFIRMED_MS)),
          notExists(signIns),
          notExists(owned),
        ),
      ),
  ]);
}
