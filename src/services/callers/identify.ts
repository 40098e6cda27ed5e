// The user behind a credential of the Account API, and their access to an instance, as D1 knows them: one SQL statement.
import { and, eq, isNull, ne, type SQL } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { accountKey, connection, share, user } from "../../db/schema.ts";
import type { AccountKey } from "../account-keys/find.ts";
import { accessOf } from "../connections/access.ts";
import type { ConnectionRow } from "../connections/record.ts";
import type { Role } from "@gateway/protocol/operations.ts";
import type { User } from "../users/user-table.ts";

/** No more than decides about a call: the account's guard remembers it, and everything else is changed without telling the guard. */
export type CallingUser = Pick<User, "id" | "role" | "status" | "lastSeenAt">;
export type CallingKey = Pick<AccountKey, "id" | "name" | "scopes" | "instanceIds" | "expiresAt" | "lastUsedAt">;
/** Nothing of it ever changes, until the connection is removed. */
export type CalledConnection = Pick<ConnectionRow, "id" | "uuid" | "ownerId" | "kind">;
export type CallerAccess = { connection: CalledConnection; role: Role };

/** `access`: to the instance of the call; null when it does not exist for this user, or the call has none. */
export type Identified = { user: CallingUser; key: CallingKey | null; access: CallerAccess | null };

const USER = { id: user.id, role: user.role, status: user.status, lastSeenAt: user.lastSeenAt };
const KEY = {
  id: accountKey.id,
  name: accountKey.name,
  scopes: accountKey.scopes,
  instanceIds: accountKey.instanceIds,
  expiresAt: accountKey.expiresAt,
  lastUsedAt: accountKey.lastUsedAt,
};
const CONNECTION = { id: connection.id, uuid: connection.uuid, ownerId: connection.ownerId, kind: connection.kind };

/** The holder of the key with this hash (SHA-256, hex), or null. `instance` is the UUID of the instance of the call, if it has one. */
export async function identifyKey(binding: D1Database, hash: string, instance: string | null): Promise<Identified | null> {
  const rows = await databaseOf(binding)
    .select({ user: USER, key: KEY, connection: CONNECTION, sharedAs: share.role })
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
    .select({ user: USER, connection: CONNECTION, sharedAs: share.role })
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
