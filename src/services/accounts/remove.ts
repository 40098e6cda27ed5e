// Closes an account in one batch, lets the objects remove its connections, then deletes its row.
import { and, asc, eq, exists, gt, inArray, lt, lte, ne, or, sql } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import {
  account,
  accountKey,
  accountWebhook,
  auditEntry,
  connection,
  connectionState,
  dailyCount,
  endpointSet,
  hourlyCount,
  session,
  share,
  shareInvitation,
  subscription,
  user,
  verification,
} from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { mapInBatches } from "../batches.ts";
import { beginRemoval, NO_NUMBER } from "../connections/remove.ts";
import { anotherAdministrator } from "../users/user-table.ts";
import { accountGuardStub, type ClosedAccount } from "./guard.ts";

const CONCURRENCY = 20;
const PAGE = 500;
const TRY_AGAIN_MS = 60_000;
/** Replaces the due time once the removal has started, until the AccountGuard has closed the account. */
const REMOVAL_BEGUN = 0;

/** Safe to repeat. Rows without personal data stay until the objects are done. Returns false for the last active administrator. */
export async function closeAccount(binding: D1Database, { userId, email }: ClosedAccount, now: number): Promise<boolean> {
  const database = databaseOf(binding);
  const own = database.select({ id: connection.id }).from(connection).where(eq(connection.ownerId, userId));
  const mayGo = or(ne(user.status, "active"), eq(user.role, "user"), anotherAdministrator(database, userId));
  const gone = exists(
    database
      .select({ one: sql`1` })
      .from(user)
      .where(and(eq(user.id, userId), eq(user.status, "removed"))),
  );
  const [marked] = await retriedWrite(() =>
    database.batch([
      database
        .update(user)
        .set({
          status: "removed",
          email: `${userId}@removed.invalid`,
          name: "",
          image: null,
          emailVerified: false,
          removalDueAt: null,
          updatedAt: new Date(now),
        })
        .where(and(eq(user.id, userId), mayGo))
        .returning({ id: user.id }),
      database.delete(session).where(and(eq(session.userId, userId), gone)),
      database.delete(account).where(and(eq(account.userId, userId), gone)),
      database.delete(accountKey).where(and(eq(accountKey.userId, userId), gone)),
      database.delete(verification).where(and(or(inArray(verification.value, [userId, email]), eq(verification.identifier, email)), gone)),
      database.delete(share).where(and(or(eq(share.userId, userId), inArray(share.connectionId, own)), gone)),
      database.delete(shareInvitation).where(and(or(eq(shareInvitation.email, email), inArray(shareInvitation.connectionId, own)), gone)),
      database.delete(connectionState).where(and(inArray(connectionState.connectionId, own), gone)),
      database.delete(accountWebhook).where(and(eq(accountWebhook.userId, userId), gone)),
      database.delete(endpointSet).where(and(eq(endpointSet.userId, userId), gone)),
      database.delete(subscription).where(and(eq(subscription.userId, userId), gone)),
      // The audit log keeps its entries about this account, but without personal data.
      database
        .update(auditEntry)
        .set({ reason: null, before: null, after: null })
        .where(and(eq(auditEntry.target, userId), gone)),
      database
        .update(connection)
        .set({
          removedAt: sql`COALESCE(${connection.removedAt}, ${now})`,
          updatedAt: now,
          name: "",
          metadata: {},
          settings: {},
          proxyId: null,
          ...NO_NUMBER,
        })
        .where(and(eq(connection.ownerId, userId), gone)),
    ]),
  );
  return marked.length > 0 || (await database.select({ id: user.id }).from(user).where(eq(user.id, userId))).length === 0;
}

/** Returns how many connections are left. Connections whose object could not be reached are logged, and included in this number. */
export async function removeConnectionsOf(env: Env, { userId }: ClosedAccount): Promise<number> {
  let [count, last] = [0, 0];
  for (;;) {
    const rows = await databaseOf(env.DB)
      .select({ id: connection.id, uuid: connection.uuid })
      .from(connection)
      .where(and(eq(connection.ownerId, userId), gt(connection.id, last)))
      .orderBy(asc(connection.id))
      .limit(PAGE);
    await mapInBatches(rows, CONCURRENCY, ({ uuid }) => beginRemoval(env, uuid).catch(() => undefined));
    count += rows.length;
    last = rows.at(-1)?.id ?? last;
    if (rows.length < PAGE) return count;
  }
}

/** Deletes the last rows in D1. Call once no connection is left. */
export async function forgetAccount(env: Env, { userId }: ClosedAccount): Promise<void> {
  const database = databaseOf(env.DB);
  const scope = `user:${userId}`;
  await retriedWrite(() =>
    database.batch([
      database.delete(user).where(eq(user.id, userId)),
      database.delete(hourlyCount).where(eq(hourlyCount.scope, scope)),
      database.delete(dailyCount).where(eq(dailyCount.scope, scope)),
    ]),
  );
}

/** Throws when an AccountGuard could not be reached. The next run then retries that account. */
export async function removeDueAccounts(env: Env, now: number, limit: number): Promise<void> {
  const database = databaseOf(env.DB);
  const isDue = and(lte(user.removalDueAt, now), ne(user.status, "removed"));
  const first = database.select({ id: user.id }).from(user).where(isDue).orderBy(asc(user.removalDueAt)).limit(limit);
  // Checks and marks in one statement, because from here on the deletion cannot be cancelled.
  const due = await database
    .update(user)
    .set({ removalDueAt: REMOVAL_BEGUN })
    .where(and(inArray(user.id, first), isDue))
    .returning({ userId: user.id, email: user.email });
  await mapInBatches(due, CONCURRENCY, (closed) => accountGuardStub(env, closed.userId).remove(closed));
}

export async function resumeAccountRemovals(env: Env, now: number, limit: number): Promise<void> {
  const database = databaseOf(env.DB);
  const rows = await database
    .select({ id: user.id })
    .from(user)
    .where(and(eq(user.status, "removed"), lt(user.updatedAt, new Date(now - TRY_AGAIN_MS))))
    .orderBy(asc(user.updatedAt))
    .limit(limit);
  const ids = rows.map(({ id }) => id);
  await database
    .update(user)
    .set({ updatedAt: new Date(now) })
    .where(inArray(user.id, ids));
  await mapInBatches(ids, CONCURRENCY, (id) => accountGuardStub(env, id).poke());
}
