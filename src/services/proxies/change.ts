import { and, eq, gt, exists, sql } from "drizzle-orm";
import { databaseOf, rowsOf } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { connection, proxy, proxyHealth } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { unsupportedChange } from "@gateway/domain/instance/kinds.ts";
import type { ConnectionKind } from "@gateway/protocol/operations.ts";
import { PENDING, pushPendingOfAll, namedIn } from "../connections/push-records.ts";
import { findProxy, type Proxy, assignedTo, hasCapacity, proxyFull } from "./find.ts";
import { sealProxyPassword } from "./address.ts";

export type ProxyChanges = Partial<NewProxy>;

const ADDRESS_FIELDS = ["protocol", "host", "port", "username", "password"] as const satisfies readonly (keyof NewProxy)[];

/** Resets the proxy's health and reconnects its connections. Fails with `proxy_full` (above the new limit) or `proxy_not_found`. */
export async function changeProxy(env: Env, before: Proxy, { password, ...fields }: ProxyChanges): Promise<Outcome<Proxy>> {
  const { id } = before;
  const sealed = password === undefined ? {} : { passwordSealed: password === null ? null : sealProxyPassword(env, id, password) };
  const moved = ADDRESS_FIELDS.some((field) =>
    field === "password" ? password !== undefined : fields[field] !== undefined && fields[field] !== before[field],
  );
  const set = { ...fields, ...sealed, ...(moved ? { revision: sql`${proxy.revision} + 1` } : {}) };
  const database = databaseOf(env.DB);
  if (Object.keys(set).length === 0) return succeed(before);
  const max = fields.maxInstances;
  const fits = max === undefined ? undefined : sql`${assignedTo(sql`${proxy.id}`)} <= ${max}`;
  const update = database
    .update(proxy)
    .set(set)
    .where(and(eq(proxy.id, id), fits))
    .returning();
  // Also true if another call changed the address after `before` was read, because this change may have undone that.
  const isMoved = exists(
    database
      .select()
      .from(proxy)
      .where(and(eq(proxy.id, id), gt(proxy.revision, before.revision))),
  );
  const forget = database.delete(proxyHealth).where(and(eq(proxyHealth.proxyId, id), isMoved));
  const mark = database
    .update(connection)
    .set({ pendingRevision: sql.raw(PENDING) })
    .where(and(eq(connection.proxyId, id), isMoved));
  const [[changed]] = await retriedWrite(() => database.batch([update, forget, mark]));
  if (changed === undefined) {
    const now = await findProxy(env.DB, id);
    return now === null ? fail("proxy_not_found") : fail("proxy_full", { details: { max_instances: max ?? 0, assigned: now.assigned } });
  }
  await pushPendingOfAll(env, eq(connection.proxyId, id));
  return succeed(changed);
}

export type NewProxy = Omit<Proxy, "id" | "passwordSealed" | "revision" | "createdAt"> & { password: string | null };

export async function createProxy(env: Env, { password, ...fields }: NewProxy, now: number): Promise<Proxy> {
  const id = crypto.randomUUID();
  const passwordSealed = password === null ? null : sealProxyPassword(env, id, password);
  const row = { id, ...fields, passwordSealed, revision: 1, createdAt: now };
  await retriedWrite(() => databaseOf(env.DB).insert(proxy).values(row).onConflictDoNothing());
  return row;
}

type Assigned = { uuid: string; from: string | null };

/** Assigns all connections or none. Waits for up to 400 objects. Fails with `instance_not_found`, `not_supported` or `proxy_full`. */
export async function assignProxy(env: Env, id: string, uuids: readonly string[], now: number): Promise<Outcome<Assigned[]>> {
  const database = databaseOf(env.DB);
  const named = sql`uuid IN ${rowsOf(uuids)} AND removed_at IS NULL`;
  const known = await database.all<Assigned & { kind: ConnectionKind }>(
    sql`SELECT uuid, proxy_id AS "from", kind FROM connection WHERE ${named}`,
  );
  const missing = uuids.find((uuid) => !known.some((row) => row.uuid === uuid));
  if (missing !== undefined) return fail("instance_not_found", { details: { instance_id: missing } });
  const without = known.find(({ kind }) => unsupportedChange(kind, { proxyId: id }) !== null);
  if (without !== undefined) return fail("not_supported", { details: { kind: without.kind, instance_id: without.uuid } });
  const others = sql`(SELECT COUNT(*) FROM connection WHERE ${named} AND proxy_id IS NOT ${id})`;
  const given = await database.all<{ uuid: string }>(
    sql`UPDATE connection SET proxy_id = ${id}, updated_at = ${now}, pending_revision = ${sql.raw(PENDING)}
      WHERE ${named} AND ${hasCapacity(id, others)} RETURNING uuid`,
  );
  if (given.length === 0) return proxyFull(env.DB, id, uuids.length);
  await pushPendingOfAll(env, namedIn(uuids));
  return succeed(known.map(({ uuid, from }) => ({ uuid, from })));
}

type Reassigned = { uuid: string; to: string };

type Target = { id: string; free: number };

const ASSIGNED = "(SELECT COUNT(*) FROM connection c WHERE c.proxy_id = p.id AND c.removed_at IS NULL)";

const TARGETS = `SELECT p.id, p.max_instances - ${ASSIGNED} AS free FROM proxy p JOIN proxy_health h ON h.proxy_id = p.id
  WHERE p.id <> ?1 AND p.is_active = 1 AND h.status = 'healthy' AND p.max_instances > ${ASSIGNED}
  ORDER BY p.country IS NOT ?2, free DESC, p.id`;

const CARRIED = `SELECT ${ASSIGNED} AS assigned FROM proxy p WHERE p.id = ?1`;

/** Moves connections only if the other proxies have room for all. One transaction, so that concurrent requests cannot take that room. */
const MOVE = `UPDATE connection SET proxy_id = ?2, updated_at = ?4, pending_revision = ${PENDING}
  WHERE id IN (
    SELECT id FROM connection WHERE proxy_id = ?1 AND removed_at IS NULL ORDER BY id
    LIMIT COALESCE((SELECT MAX(0, p.max_instances - ${ASSIGNED}) FROM proxy p WHERE p.id = ?2 AND p.is_active = 1), 0))
  AND (SELECT COUNT(*) FROM connection WHERE proxy_id = ?1 AND removed_at IS NULL)
    <= (SELECT SUM(MAX(0, p.max_instances - ${ASSIGNED})) FROM proxy p WHERE p.is_active = 1 AND p.id IN (SELECT value FROM json_each(?3)))
  RETURNING uuid, proxy_id AS "to"`;

const DELETE = `DELETE FROM proxy WHERE id = ?1
  AND NOT EXISTS (SELECT 1 FROM connection WHERE proxy_id = ?1 AND removed_at IS NULL) RETURNING id`;

/** `reassign` first moves its connections to other proxies. Fails with `proxy_in_use` or `proxy_not_found`, without any change. */
export async function removeProxy(
  env: Env,
  { id, country }: { id: string; country: string | null },
  reassign: boolean,
  now: number,
): Promise<Outcome<Reassigned[]>> {
  const [found, carried] = await env.DB.batch([env.DB.prepare(TARGETS).bind(id, country), env.DB.prepare(CARRIED).bind(id)]);
  const others = (found?.results ?? []) as Target[];
  const [counted] = (carried?.results ?? []) as { assigned: number }[];
  const targets = reassign ? enough(others, counted?.assigned ?? 0) : [];
  const moves = targets.map((target) => env.DB.prepare(MOVE).bind(id, target, JSON.stringify(targets), now));
  const done = await env.DB.batch<Reassigned>([...moves, env.DB.prepare(DELETE).bind(id)]);
  const deleted = done.at(-1)?.results ?? [];
  const moved = done.slice(0, -1).flatMap(({ results }) => results);
  if (deleted.length === 0) return refused(env.DB, id, others);
  await pushPendingOfAll(env, namedIn(moved.map(({ uuid }) => uuid)));
  return succeed(moved);
}

function enough(others: readonly Target[], connections: number): string[] {
  let left = connections;
  const needed = others.findIndex(({ free }) => (left -= free) <= 0);
  return connections === 0 ? [] : others.slice(0, needed + 1).map(({ id }) => id);
}

async function refused(binding: D1Database, id: string, others: readonly Target[]): Promise<Outcome<never>> {
  const row = await binding.prepare(CARRIED).bind(id).first<{ assigned: number }>();
  if (row === null) return fail("proxy_not_found");
  const free = others.reduce((sum, target) => sum + target.free, 0);
  return fail("proxy_in_use", { details: { assigned: row.assigned, room_on_others: free } });
}
