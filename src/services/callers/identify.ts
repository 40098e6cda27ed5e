// The user behind a credential of the Account API, and their access to an instance: one SQL statement per call. Nothing is cached, so that
// a revoked key, a suspended user and an ended share take effect at once.
import { and, eq, isNull, ne, type SQL } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { accountKey, connection, share, user } from "../../db/schema.ts";
import type { AccountKey } from "../account-keys/find.ts";
import { type Access, accessOf } from "../connections/access.ts";
import type { User } from "../users/user-table.ts";

/** `access`: to the instance of the call; null when it does not exist for this user, or the call has none. */
export type Identified = { user: User; key: AccountKey | null; access: Access | null };

/** The holder of the key with this hash (SHA-256, hex), or null. `instance` is the UUID of the instance of the call, if it has one. */
export async function identifyKey(binding: D1Database, hash: string, instance: string | null): Promise<Identified | null> {
  const rows = await databaseOf(binding)
    .select({ user, key: accountKey, connection, sharedAs: share.role })
    .from(accountKey)
    .innerJoin(user, eq(user.id, accountKey.userId))
    .leftJoin(connection, isInstance(instance))
    .leftJoin(share, isShare)
    .where(eq(accountKey.hash, hash))
    .limit(1);
  const row = rows[0];
  return row === undefined ? null : { user: row.user, key: row.key, access: accessOf(row.user.id, row.connection, row.sharedAs) };
}

/** The same by user id, for a valid access token. */
export async function identifyUser(binding: D1Database, userId: string, instance: string | null): Promise<Identified | null> {
  const rows = await databaseOf(binding)
    .select({ user, connection, sharedAs: share.role })
    .from(user)
    .leftJoin(connection, isInstance(instance))
    .leftJoin(share, isShare)
    .where(and(eq(user.id, userId), ne(user.status, "removed")))
    .limit(1);
  const row = rows[0];
  return row === undefined ? null : { user: row.user, key: null, access: accessOf(row.user.id, row.connection, row.sharedAs) };
}

function isInstance(uuid: string | null): SQL | undefined {
  return and(eq(connection.uuid, uuid ?? ""), isNull(connection.removedAt));
}

const isShare = and(eq(share.connectionId, connection.id), eq(share.userId, user.id));
