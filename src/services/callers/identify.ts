// The user behind an Account API credential, and their access to an instance, read in one SQL statement.
import { and, eq, isNull, ne, type SQL, lte, or } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { accountKey, connection, share, user } from "../../db/schema.ts";
import type { AccountKey } from "../account-keys/find.ts";
import { accessOf } from "../connections/access.ts";
import type { ConnectionRow } from "../connections/record.ts";
import type { Role } from "@gateway/protocol/operations.ts";
import type { User } from "../users/user-table.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";

/** Contains only fields needed to authorize a call, because the AccountGuard caches them and is not notified of changes to other fields. */
export type CallingUser = Pick<User, "id" | "role" | "status" | "lastSeenAt">;
export type CallingKey = Pick<AccountKey, "id" | "name" | "scopes" | "instanceIds" | "allowedIps" | "expiresAt" | "lastUsedAt">;
export type CalledConnection = Pick<ConnectionRow, "id" | "uuid" | "ownerId" | "kind">;
export type CallerAccess = { connection: CalledConnection; role: Role };

/** `access` is the user's access to the call's instance. Null if the user cannot see it or the call has none. */
export type Identified = { user: CallingUser; key: CallingKey | null; access: CallerAccess | null };

const USER = { id: user.id, role: user.role, status: user.status, lastSeenAt: user.lastSeenAt };
const KEY = {
  id: accountKey.id,
  name: accountKey.name,
  scopes: accountKey.scopes,
  instanceIds: accountKey.instanceIds,
  allowedIps: accountKey.allowedIps,
  expiresAt: accountKey.expiresAt,
  lastUsedAt: accountKey.lastUsedAt,
};
const CONNECTION = { id: connection.id, uuid: connection.uuid, ownerId: connection.ownerId, kind: connection.kind };

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

/** Minimum interval between writes of `last_used_at` per key, because all customers share one database. */
const WRITE_INTERVAL_MS = HOUR_MS;

export async function recordKeyUse(binding: D1Database, { id, lastUsedAt }: CallingKey, now: number): Promise<void> {
  if (now - (lastUsedAt ?? 0) < WRITE_INTERVAL_MS) return;
  const older = or(isNull(accountKey.lastUsedAt), lte(accountKey.lastUsedAt, now - WRITE_INTERVAL_MS));
  await retriedWrite(() =>
    databaseOf(binding)
      .update(accountKey)
      .set({ lastUsedAt: now })
      .where(and(eq(accountKey.id, id), older)),
  );
}
