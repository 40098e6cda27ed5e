// Telling the connections' objects of the account's webhook endpoints. D1 is their home; the objects hold copies, and a change binds
// when they have been told (docs/delivery.md, "Account endpoints").
import { and, asc, eq, isNull, lt, sql, type SQL } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { accountWebhook, connection, endpointSet } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import type { AccountEndpoint } from "../../protocol/account-endpoint.ts";
import { connectionStub } from "../connections/stub.ts";
import type { AccountWebhook } from "./find.ts";
import { openSecret } from "./secret.ts";

/** Objects told at once: each is one subrequest of ours. */
const PUSH_CONCURRENCY = 20;
/** The watchdog leaves a change alone for so long: whoever made it is telling the objects. */
const RETRY_PUSH_AFTER_MS = 60_000;

/** Which objects a change concerns: those of these instances (UUIDs), or all of the account's. */
export type AffectedConnections = readonly string[] | "all";

/** To be written in one batch with the change itself, so that no change is without its number. */
export function incrementRevision(binding: D1Database, userId: string, now: number) {
  return databaseOf(binding)
    .insert(endpointSet)
    .values({ userId, revision: 1, changedAt: now })
    .onConflictDoUpdate({ target: endpointSet.userId, set: { revision: sql`${endpointSet.revision} + 1`, changedAt: now } });
}

/** Tells the objects that a change concerns. Throws when one cannot be told; telling again does no harm. */
export async function pushEndpoints(env: Env, userId: string, concerned: AffectedConnections): Promise<void> {
  const revision = await pushToAll(env, userId, concerned);
  await recordPushed(env.DB, userId, revision, concerned);
}

/** A connection was just made: its object learns which endpoints there are. Throws like `pushEndpoints`. */
export async function pushEndpointsTo(env: Env, userId: string, uuid: string): Promise<void> {
  await pushToAll(env, userId, [uuid]);
}

/** The endpoints that apply to a connection, when there is a newer state of them than `knownRevision`. */
export async function lookUpEndpoints(
  env: Env,
  userId: string,
  uuid: string,
  knownRevision: number,
): Promise<{ revision: number; endpoints: AccountEndpoint[] | null }> {
  // Of this connection alone: every object asks when it wakes, and an account may have thousands.
  const [sets, webhooks] = await databaseOf(env.DB).batch([...endpointsIn(env.DB, userId)]);
  const revision = sets[0]?.revision ?? 0;
  if (revision <= knownRevision) return { revision, endpoints: null };
  const own = webhooks.filter(({ instanceId }) => instanceId === null || instanceId === uuid);
  return { revision, endpoints: await Promise.all(own.map((row) => endpointOf(env, row))) };
}

/** Answers which state was told. */
async function pushToAll(env: Env, userId: string, concerned: AffectedConnections): Promise<number> {
  const { revision, webhooks, instances } = await stateOf(env.DB, userId);
  if (revision === 0) return revision;
  const endpoints = await Promise.all(webhooks.map(async (row) => ({ instanceId: row.instanceId, endpoint: await endpointOf(env, row) })));
  const told = concerned === "all" ? instances : instances.filter((uuid) => concerned.includes(uuid));
  for (let at = 0; at < told.length; at += PUSH_CONCURRENCY) {
    await Promise.all(
      told.slice(at, at + PUSH_CONCURRENCY).map((uuid) => {
        const own = endpoints.filter(({ instanceId }) => instanceId === null || instanceId === uuid).map(({ endpoint }) => endpoint);
        return pushTo(env, uuid, own, revision);
      }),
    );
  }
  return revision;
}

/** Goes on with changes that not all objects could be told of. */
export async function pushPendingEndpoints(env: Env, now: number, limit: number): Promise<void> {
  const rows = await databaseOf(env.DB)
    .select({ userId: endpointSet.userId })
    .from(endpointSet)
    .where(and(sql`told_revision < revision`, lt(endpointSet.changedAt, now - RETRY_PUSH_AFTER_MS)))
    .orderBy(asc(endpointSet.changedAt))
    .limit(limit);
  for (const { userId } of rows) await pushEndpoints(env, userId, "all");
}

/** One moment of D1: the batch is a transaction. */
async function stateOf(
  binding: D1Database,
  userId: string,
): Promise<{ revision: number; webhooks: AccountWebhook[]; instances: string[] }> {
  const database = databaseOf(binding);
  const [sets, webhooks, connections] = await database.batch([
    ...endpointsIn(binding, userId),
    database
      .select({ uuid: connection.uuid })
      .from(connection)
      .where(and(eq(connection.ownerId, userId), isNull(connection.removedAt))),
  ]);
  return { revision: sets[0]?.revision ?? 0, webhooks, instances: connections.map(({ uuid }) => uuid) };
}

/** The state's number, and the endpoints themselves. */
function endpointsIn(binding: D1Database, userId: string) {
  const database = databaseOf(binding);
  return [
    database.select({ revision: endpointSet.revision }).from(endpointSet).where(eq(endpointSet.userId, userId)),
    database.select().from(accountWebhook).where(eq(accountWebhook.userId, userId)),
  ] as const;
}

async function endpointOf(env: Env, row: AccountWebhook): Promise<AccountEndpoint> {
  const { id, url, events, headers } = row;
  const secret = await openSecret(env, row);
  return { id, url, events, secret, headers, retry_count: row.retryCount, timeout_ms: row.timeoutMs, is_active: row.isActive };
}

/** Once more on a new stub when the object was being moved: telling twice does no harm. */
async function pushTo(env: Env, uuid: string, endpoints: AccountEndpoint[], revision: number): Promise<void> {
  try {
    await connectionStub(env, uuid).accountEndpointsChanged(endpoints, revision);
  } catch {
    await connectionStub(env, uuid).accountEndpointsChanged(endpoints, revision);
  }
}

/** Telling some of them settles this one change, and none that came before it. */
async function recordPushed(binding: D1Database, userId: string, revision: number, concerned: AffectedConnections): Promise<void> {
  const behind: SQL | undefined =
    concerned === "all" ? lt(endpointSet.pushedRevision, revision) : eq(endpointSet.pushedRevision, revision - 1);
  await databaseOf(binding)
    .update(endpointSet)
    .set({ pushedRevision: revision })
    .where(and(eq(endpointSet.userId, userId), behind));
}
