// Proxy checks: selects due checks and applies their results. Only the pool calls this, with one result per proxy at a time.
import { and, asc, eq, gt, inArray, isNull, or, sql } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { connection, proxy, proxyHealth } from "../../db/schema.ts";
import { afterCheck, needsExit, type ProxyNews, UNKNOWN_HEALTH } from "@gateway/domain/proxies/health.ts";
import type { Env } from "../../env.ts";
import type { ProxyCheckResult } from "@gateway/protocol/bridge-socket.ts";
import { addressOf } from "./address.ts";

/** `revision` is the address's revision. `exit` means to look up the exit address. `checkedAt` (Unix ms) is null before any check. */
export type DueCheck = { id: string; revision: number; url: string; exit: boolean; checkedAt: number | null };
export type CheckedProxy = { id: string; revision: number; result: ProxyCheckResult };

export async function proxiesToCheck(env: Env, afterId: string, limit: number, now: number): Promise<DueCheck[]> {
  const carries = sql`EXISTS (SELECT 1 FROM ${connection} WHERE ${connection.proxyId} = ${proxy.id} AND ${isNull(connection.removedAt)})`;
  return dueChecks(env, and(gt(proxy.id, afterId), or(eq(proxy.isActive, true), carries)), limit, now);
}

export async function proxyToCheck(env: Env, id: string, now: number): Promise<DueCheck | null> {
  return (await dueChecks(env, eq(proxy.id, id), 1, now))[0] ?? null;
}

async function dueChecks(env: Env, which: ReturnType<typeof and>, limit: number, now: number): Promise<DueCheck[]> {
  const rows = await databaseOf(env.DB)
    .select({ row: proxy, health: proxyHealth })
    .from(proxy)
    .leftJoin(proxyHealth, eq(proxyHealth.proxyId, proxy.id))
    .where(which)
    .orderBy(asc(proxy.id))
    .limit(limit);
  return rows.map(({ row, health }) => ({
    id: row.id,
    revision: row.revision,
    url: addressOf(env, row),
    exit: needsExit(health ?? UNKNOWN_HEALTH, now),
    checkedAt: health?.checkedAt ?? null,
  }));
}

/** Records up to 50 results. Ignores results for an older address. Returns true if there are new notices. */
export async function recordChecks(binding: D1Database, checked: readonly CheckedProxy[], now: number): Promise<boolean> {
  const database = databaseOf(binding);
  const rows = await database
    .select({ id: proxy.id, revision: proxy.revision, health: proxyHealth })
    .from(proxy)
    .leftJoin(proxyHealth, eq(proxyHealth.proxyId, proxy.id))
    .where(
      inArray(
        proxy.id,
        checked.map(({ id }) => id),
      ),
    );
  const current = new Map(rows.map((row) => [row.id, row]));
  const steps = checked.flatMap(({ id, revision, result }) => {
    const row = current.get(id);
    return row?.revision === revision ? [{ id, revision, ...afterCheck(row.health ?? UNKNOWN_HEALTH, result, now) }] : [];
  });
  if (steps.length === 0) return false;
  const writes = steps.flatMap(({ id, revision, health, news }) => [
    writeHealth(binding, id, revision, health),
    ...(news === null ? [] : [writeNotices(binding, id, revision, news, now)]),
  ]);
  await retriedWrite(() => binding.batch(writes));
  return steps.some(({ news }) => news !== null);
}

type Health = ReturnType<typeof afterCheck>["health"];

function writeHealth(binding: D1Database, id: string, revision: number, health: Health): D1PreparedStatement {
  return binding
    .prepare(
      `INSERT INTO proxy_health (proxy_id, status, latency_ms, exit_ip, exit_country, exit_checked_at, consecutive_failures, past_checks,
         checked_at, last_error, outage_at)
       SELECT id, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12 FROM proxy WHERE id = ?1 AND revision = ?2
       ON CONFLICT (proxy_id) DO UPDATE SET status = ?3, latency_ms = ?4, exit_ip = ?5, exit_country = ?6, exit_checked_at = ?7,
         consecutive_failures = ?8, past_checks = ?9, checked_at = ?10, last_error = ?11, outage_at = ?12`,
    )
    .bind(
      id,
      revision,
      health.status,
      health.latencyMs,
      health.exitIp,
      health.exitCountry,
      health.exitCheckedAt,
      health.consecutiveFailures,
      JSON.stringify(health.pastChecks),
      health.checkedAt,
      health.lastError,
      health.outageAt,
    );
}

/** Writes one notice for each owner of connections on the proxy and each administrator, replacing unsent ones. */
function writeNotices(binding: D1Database, id: string, revision: number, news: Exclude<ProxyNews, null>, now: number): D1PreparedStatement {
  return binding
    .prepare(
      `INSERT INTO proxy_notice (proxy_id, user_id, news, tries, due_at)
       SELECT p.id, u.id, ?3, 0, ?4 FROM proxy p, user u WHERE p.id = ?1 AND p.revision = ?2 AND u.status = 'active' AND (u.role = 'admin'
         OR EXISTS (SELECT 1 FROM connection c WHERE c.proxy_id = p.id AND c.owner_id = u.id AND c.removed_at IS NULL))
       ON CONFLICT (proxy_id, user_id) DO UPDATE SET news = ?3, tries = 0, due_at = ?4`,
    )
    .bind(id, revision, news, now);
}
