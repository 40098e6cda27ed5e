// Pushes an account's endpoints to its objects. D1 is the source of truth, but a change takes effect only once it is pushed.
import { and, asc, eq, gt, inArray, isNull, lt, lte, sql, type SQL } from "drizzle-orm";
import { databaseOf, selectedValues } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { accountWebhook, connection, endpointSet } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import type { AccountEndpoint } from "@gateway/protocol/connection.ts";
import { accountGuardStub } from "../accounts/guard.ts";
import { namedIn } from "../connections/push-records.ts";
import { connectionStub } from "../connections/stub.ts";
import { retried } from "../object-calls.ts";
import type { Target, AccountChange } from "../account-change.ts";
import type { AccountWebhook } from "./find.ts";
import { openSecret } from "./secret.ts";
import { mapInBatches } from "../batches.ts";

const PUSH_CONCURRENCY = 20;
/** For larger accounts the AccountGuard pushes, because each call counts toward the invocation's subrequests. */
const MAX_PUSHED_DIRECTLY = 200;
/** Until this time has passed, the request that made the change may still be pushing it. */
const RETRY_PUSH_AFTER_MS = 60_000;

/** `revision` is the one that this change created. A push to all connections also completes earlier changes. */
export type AffectedConnections = "all" | { uuids: readonly string[]; revision: number };

/** The column that a change or removal returns for `affectedBy`. */
export const INSTANCE = { instanceId: accountWebhook.instanceId };

/** Includes the row as the change found it, because another call may have moved the endpoint. Without a revision, pushes to all. */
export function affectedBy(
  rows: readonly Pick<AccountWebhook, "instanceId">[],
  [own]: readonly { revision: number }[],
): AffectedConnections {
  const uuids = rows.flatMap(({ instanceId }) => instanceId ?? []);
  return own === undefined || uuids.length < rows.length ? "all" : { uuids, revision: own.revision };
}

type EndpointChange = AccountChange & {
  endpointsOf: (uuid: string) => AccountEndpoint[];
  between(after: number, until: number, limit?: number): Promise<Target[]>;
};

/**
 * Run it in the change's batch, so that the change has its own revision. It needs the endpoint's row, so run it after a creation or before
 * a removal. The revision is at least the time, so that a restored database never repeats the revision of a lost change.
 */
export function incrementRevision(binding: D1Database, { userId, id }: Pick<AccountWebhook, "userId" | "id">, now: number) {
  const first = selectedValues(endpointSet, { userId, revision: Math.max(now, 1), pushedRevision: Math.max(now, 1) - 1, changedAt: now });
  const revision = sql`MAX(${endpointSet.revision} + 1, ${now})`;
  // Skipped revisions count as pushed, so that a push to some of the connections can tell that no other change is pending.
  const pushedRevision = sql`IIF(${endpointSet.pushedRevision} < ${endpointSet.revision}, ${endpointSet.pushedRevision}, ${revision} - 1)`;
  return databaseOf(binding)
    .insert(endpointSet)
    .select(sql`${first} WHERE EXISTS (SELECT 1 FROM account_webhook WHERE user_id = ${userId} AND id = ${id})`)
    .onConflictDoUpdate({ target: endpointSet.userId, set: { revision, pushedRevision, changedAt: now } })
    .returning({ revision: endpointSet.revision });
}

/** Returns once all objects have the change, or after 10 seconds. Throws if one could not be reached. It is safe to repeat the call. */
export async function pushEndpoints(env: Env, userId: string, affected: AffectedConnections, waits = true): Promise<void> {
  const change = await readEndpointChange(env, userId);
  const { revision } = change;
  const targets =
    affected === "all" ? await change.between(0, Number.MAX_SAFE_INTEGER, MAX_PUSHED_DIRECTLY + 1) : await change.named(affected.uuids);
  if (targets.length > MAX_PUSHED_DIRECTLY) {
    const outcome = await retried(() => accountGuardStub(env, userId).pushEndpoints(userId, revision, waits));
    if (outcome === "failed" && waits) throw unreached();
    return;
  }
  if (revision > 0) await mapInBatches(targets, PUSH_CONCURRENCY, ({ push }) => push());
  if (affected === "all") await recordPushed(env.DB, userId, revision);
  else await recordPushedPartly(env.DB, userId, affected.revision);
}

export async function pushEndpointsTo(env: Env, userId: string, uuid: string): Promise<void> {
  const { revision, endpointsOf } = await readEndpointChange(env, userId);
  if (revision > 0) await pushTo(env, uuid, endpointsOf(uuid), revision);
}

export async function readEndpointChange(env: Env, userId: string): Promise<EndpointChange> {
  // A batch is a transaction, so both reads are consistent.
  const [sets, webhooks] = await databaseOf(env.DB).batch([...endpointsIn(env.DB, userId)]);
  const revision = sets[0]?.revision ?? 0;
  const endpoints = webhooks.map((row) => ({ instanceId: row.instanceId, endpoint: endpointOf(env, row) }));
  const endpointsOf = (uuid: string) =>
    endpoints.filter(({ instanceId }) => instanceId === null || instanceId === uuid).map(({ endpoint }) => endpoint);
  const targets = async (which: SQL | undefined, limit = Number.MAX_SAFE_INTEGER) => {
    const rows = await databaseOf(env.DB)
      .select({ id: connection.id, uuid: connection.uuid })
      .from(connection)
      .where(and(eq(connection.ownerId, userId), isNull(connection.removedAt), which))
      .orderBy(asc(connection.id))
      .limit(limit);
    return rows.map(({ id, uuid }) => ({ id, uuid, push: () => pushTo(env, uuid, endpointsOf(uuid), revision) }));
  };
  return {
    revision,
    endpointsOf,
    between: (after: number, until: number, limit?: number) => targets(and(gt(connection.id, after), lte(connection.id, until)), limit),
    named: (uuids) => targets(namedIn(uuids)),
  };
}

/** The endpoints of one connection, unless their revision is `knownRevision`. A restored database has an older one. */
export async function lookUpEndpoints(
  env: Env,
  userId: string,
  uuid: string,
  knownRevision: number,
): Promise<{ revision: number; endpoints: AccountEndpoint[] | null }> {
  // Does not read the account's connections: every object calls this on startup, and an account may have thousands.
  const [sets, webhooks] = await databaseOf(env.DB).batch([...endpointsIn(env.DB, userId)]);
  const revision = sets[0]?.revision ?? 0;
  if (revision === knownRevision) return { revision, endpoints: null };
  const own = webhooks.filter(({ instanceId }) => instanceId === null || instanceId === uuid);
  return { revision, endpoints: own.map((row) => endpointOf(env, row)) };
}

export async function pushPendingEndpoints(env: Env, now: number, limit: number): Promise<void> {
  const database = databaseOf(env.DB);
  const rows = await database
    .select({ userId: endpointSet.userId })
    .from(endpointSet)
    .where(and(lt(endpointSet.pushedRevision, endpointSet.revision), lt(endpointSet.changedAt, now - RETRY_PUSH_AFTER_MS)))
    .orderBy(asc(endpointSet.changedAt))
    .limit(limit);
  const userIds = rows.map(({ userId }) => userId);
  await database.update(endpointSet).set({ changedAt: now }).where(inArray(endpointSet.userId, userIds));
  await mapInBatches(userIds, 1, (userId) => pushEndpoints(env, userId, "all", false));
}

function endpointsIn(binding: D1Database, userId: string) {
  const database = databaseOf(binding);
  return [
    database.select({ revision: endpointSet.revision }).from(endpointSet).where(eq(endpointSet.userId, userId)),
    database.select().from(accountWebhook).where(eq(accountWebhook.userId, userId)),
  ] as const;
}

function endpointOf(env: Env, row: AccountWebhook): AccountEndpoint {
  const { id, url, events, headers } = row;
  const secret = openSecret(env, row);
  return { id, url, events, secret, headers, retry_count: row.retryCount, timeout_ms: row.timeoutMs, is_active: row.isActive };
}

function pushTo(env: Env, uuid: string, endpoints: AccountEndpoint[], revision: number): Promise<void> {
  return retried(() => connectionStub(env, uuid).accountEndpointsChanged(endpoints, revision));
}

function unreached(): Error {
  return Object.assign(new Error("the account's endpoints could not be pushed to an object"), { retryable: true });
}

export function recordPushed(binding: D1Database, userId: string, revision: number): Promise<void> {
  return record(binding, userId, revision, lt(endpointSet.pushedRevision, revision));
}

/** A push to only some of the connections completes its own change, but no others, even if it has pushed them too. */
function recordPushedPartly(binding: D1Database, userId: string, revision: number): Promise<void> {
  return record(binding, userId, revision, eq(endpointSet.pushedRevision, revision - 1));
}

async function record(binding: D1Database, userId: string, revision: number, isBehind: SQL): Promise<void> {
  await retriedWrite(() =>
    databaseOf(binding)
      .update(endpointSet)
      .set({ pushedRevision: revision })
      .where(and(eq(endpointSet.userId, userId), isBehind)),
  );
}
