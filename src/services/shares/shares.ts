// Shares by email address. A share works only after a confirmation, so the owner never learns whether the address has an account.
import { invalidField } from "@gateway/domain/failures/field-problems.ts";
import { and, asc, eq, inArray, isNull, ne, type SQL, sql } from "drizzle-orm";
import { type Database, databaseOf } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { connection, share, shareInvitation, user } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { endStreams } from "../accounts/guard.ts";
import { type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { callOperation } from "../connections/call.ts";
import type { ConnectionRow } from "../connections/record.ts";
import { findUser } from "../users/user-table.ts";

export type Share = Omit<typeof shareInvitation.$inferSelect, "connectionId"> & { openedAt: number | null };

type SharedConnection = Pick<ConnectionRow, "id" | "uuid" | "ownerId">;
type Reached = Pick<Env, "DB" | "ACCOUNT_GUARD" | "CONNECTION">;

const FIELDS = { id: shareInvitation.id, email: shareInvitation.email, role: shareInvitation.role, createdAt: shareInvitation.createdAt };

export async function listShares(binding: D1Database, connectionId: number): Promise<Share[]> {
  return databaseOf(binding)
    .select({ ...FIELDS, openedAt: share.openedAt })
    .from(shareInvitation)
    .leftJoin(user, eq(user.email, shareInvitation.email))
    .leftJoin(share, and(eq(share.userId, user.id), eq(share.connectionId, shareInvitation.connectionId)))
    .where(eq(shareInvitation.connectionId, connectionId))
    .orderBy(asc(shareInvitation.createdAt), asc(shareInvitation.id));
}

export async function recordOpened(binding: D1Database, connectionId: number, userId: string, now: number): Promise<void> {
  await retriedWrite(() =>
    databaseOf(binding)
      .update(share)
      .set({ openedAt: now })
      .where(and(eq(share.connectionId, connectionId), eq(share.userId, userId), isNull(share.openedAt))),
  );
}

export type ShareOfAccount = { instance_id: string; email: string; role: Share["role"]; given: boolean; createdAt: number };

export async function listSharesOfAccount(binding: D1Database, userId: string): Promise<ShareOfAccount[]> {
  const database = databaseOf(binding);
  const [given, received] = await database.batch([
    database
      .select({
        instance_id: connection.uuid,
        email: shareInvitation.email,
        role: shareInvitation.role,
        createdAt: shareInvitation.createdAt,
      })
      .from(shareInvitation)
      .innerJoin(connection, eq(connection.id, shareInvitation.connectionId))
      .where(and(eq(connection.ownerId, userId), isNull(connection.removedAt))),
    database
      .select({ instance_id: connection.uuid, email: user.email, role: share.role, createdAt: share.createdAt })
      .from(share)
      .innerJoin(connection, eq(connection.id, share.connectionId))
      .innerJoin(user, eq(user.id, connection.ownerId))
      .where(and(eq(share.userId, userId), isNull(connection.removedAt))),
  ]);
  return [...given.map((row) => ({ ...row, given: true })), ...received.map((row) => ({ ...row, given: false }))];
}

/** Runs the same statements for every address, so that neither result nor timing reveals an account. `isNew` means a new share. */
export async function addShare(
  env: Reached,
  row: SharedConnection,
  address: string,
  role: Share["role"],
  now: number,
): Promise<Outcome<{ share: Share; isNew: boolean }>> {
  const email = address.trim().toLowerCase();
  const owner = await findUser(env.DB, row.ownerId);
  if (owner?.email === email) return invalidField("email", "own_address");
  const database = databaseOf(env.DB);
  const id = crypto.randomUUID();
  const [[stored], , holders] = await retriedWrite(() =>
    database.batch([
      database
        .insert(shareInvitation)
        .values({ id, connectionId: row.id, email, role, createdAt: now })
        .onConflictDoUpdate({ target: [shareInvitation.connectionId, shareInvitation.email], set: { role } })
        .returning(FIELDS),
      grant(database, and(eq(shareInvitation.connectionId, row.id), eq(user.email, email))),
      database.select({ id: user.id }).from(user).where(eq(user.email, email)),
    ]),
  );
  if (stored === undefined) throw new Error("a share that was just stored is missing");
  // The role may have changed, so the guest's streams end. Guests who are still authorized reconnect.
  await roleChanged(env, holders, row, role);
  return succeed({ share: await shareOf(env.DB, row.id, stored.id), isNew: stored.id === id });
}

/** Returns null if there is no such share. Ends the guest's streams, and a guest who is still authorized reconnects. */
export async function changeShare(env: Reached, row: SharedConnection, id: string, role: Share["role"]): Promise<Share | null> {
  const database = databaseOf(env.DB);
  const which = and(eq(shareInvitation.connectionId, row.id), eq(shareInvitation.id, id));
  const [changed, , holders] = await retriedWrite(() =>
    database.batch([
      database.update(shareInvitation).set({ role }).where(which).returning({ id: shareInvitation.id }),
      grant(database, which),
      database.select({ id: user.id }).from(user).innerJoin(shareInvitation, eq(shareInvitation.email, user.email)).where(which),
    ]),
  );
  if (changed.length === 0) return null;
  await roleChanged(env, holders, row, role);
  return shareOf(env.DB, row.id, id);
}

export async function leaveShare(env: Reached, row: SharedConnection, guest: { id: string; email: string }): Promise<void> {
  const database = databaseOf(env.DB);
  await retriedWrite(() =>
    database.batch([
      database.delete(share).where(and(eq(share.connectionId, row.id), eq(share.userId, guest.id))),
      database.delete(shareInvitation).where(and(eq(shareInvitation.connectionId, row.id), eq(shareInvitation.email, guest.email))),
    ]),
  );
  await roleChanged(env, [guest], row, null);
}

async function shareOf(binding: D1Database, connectionId: number, id: string): Promise<Share> {
  const found = (await listShares(binding, connectionId)).find((one) => one.id === id);
  if (found === undefined) throw new Error("a share that was just stored is missing");
  return found;
}

/** Ends the guest's streams. Returns their address, or null if there is no such share. */
export async function removeShare(env: Reached, row: SharedConnection, id: string): Promise<string | null> {
  const database = databaseOf(env.DB);
  const which = and(eq(shareInvitation.connectionId, row.id), eq(shareInvitation.id, id));
  const holders = database
    .select({ id: user.id })
    .from(user)
    .innerJoin(shareInvitation, eq(shareInvitation.email, user.email))
    .where(which);
  const [had, , gone] = await database.batch([
    holders,
    database.delete(share).where(and(eq(share.connectionId, row.id), inArray(share.userId, holders))),
    database.delete(shareInvitation).where(which).returning({ email: shareInvitation.email }),
  ]);
  await roleChanged(env, had, row, null);
  return gone[0]?.email ?? null;
}

/** Ends the guest's streams, and revokes their pairing links unless they may pair. Makes the same calls for unknown addresses. */
async function roleChanged(
  env: Reached,
  holders: readonly { id: string }[],
  { uuid, ownerId }: SharedConnection,
  role: Share["role"] | null,
): Promise<void> {
  const holder = holders[0]?.id ?? "nobody";
  await endStreams(env, holder, { connection: uuid });
  if (role === "operator") return;
  const caller = { subject: ownerId, role: "owner", requestId: "share", mutating: true } as const;
  // If the object does not respond, a link is revoked when it is next opened. Cloud API numbers have no links.
  await callOperation(env, uuid, caller, "pairing.revoke_of", { created_by: holder });
}

/** Grants a user with a confirmed address the shares that were made for this address before. */
export async function claimShares(binding: D1Database, userId: string): Promise<void> {
  await grantToUser(databaseOf(binding), userId);
}

export function grantToUser(database: Database, userId: string) {
  return grant(database, eq(user.id, userId));
}

function grant(database: Database, which: SQL | undefined) {
  const invited = database
    .select({
      connectionId: shareInvitation.connectionId,
      userId: user.id,
      role: shareInvitation.role,
      openedAt: sql<null>`NULL`.as("opened_at"),
      createdAt: shareInvitation.createdAt,
    })
    .from(shareInvitation)
    .innerJoin(user, eq(user.email, shareInvitation.email))
    .innerJoin(connection, eq(connection.id, shareInvitation.connectionId))
    .where(and(eq(user.emailVerified, true), ne(connection.ownerId, user.id), which));
  return database
    .insert(share)
    .select(invited)
    .onConflictDoUpdate({ target: [share.connectionId, share.userId], set: { role: sql`excluded.role` } });
}
