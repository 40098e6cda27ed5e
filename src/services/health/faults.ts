// Collects current problems from the self-check, the pools, D1's copies of the objects' states, and the last two hours' counts.
import { and, count, desc, eq, inArray, isNull, or, sql } from "drizzle-orm";
import {
  type CountedFailures,
  countedFaults,
  type Fault,
  type FaultyInstance,
  inOrder,
  shardFaults,
  TROUBLED_REASONS,
} from "@gateway/domain/fleet/faults.ts";
import { withMailQuota } from "@gateway/domain/fleet/alarms.ts";
import type { CheckName } from "@gateway/domain/fleet/self-check.ts";
import { type Counts, hourOf } from "@gateway/domain/statistics/counts.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";
import { databaseOf, rowsOf } from "../../db/database.ts";
import { connection, connectionState, poolShard, proxy, proxyHealth, user } from "../../db/schema.ts";
import { type Env, settingsOf } from "../../env.ts";
import { errorFields, log } from "../../log.ts";
import { wholeFleet } from "../bridges/pools.ts";
import { ownerMailsPausedSince } from "../identity/address-guards.ts";
import { mailFailure } from "../mail/failures.ts";
import { assignedTo } from "../proxies/find.ts";
import { bringRunningHour } from "../statistics/report.ts";
import { selfCheck } from "./self-check.ts";

const NUMBERS = 100;
const COUNTED_ROWS = 500;
const COUNTED_HOURS = 1;

/** `numbers` is the total number of numbers with problems, including those that are not listed. */
export type Faults = { faults: Fault[]; numbers: number };

/** A part that cannot be read is reported as a fault too, so that it does not hide the others. */
export async function faultsNow(env: Env, crons: readonly string[], now: number): Promise<Faults> {
  const numbers = troubledNumbers(env.DB);
  const parts: Record<string, Promise<readonly Fault[]>> = {
    checks: checkFaults(env, crons, now),
    alarms: alarmFaults(env),
    shards: databaseOf(env.DB)
      .select()
      .from(poolShard)
      .then((rows) => shardFaults(rows, now)),
    proxies: proxyFaults(env.DB),
    numbers: numbers.then(({ faults }) => faults),
    counts: failuresCounted(env, now).then(countedFaults),
  };
  const found = await Promise.all(Object.entries(parts).map(([part, faults]) => faults.catch((error: unknown) => unreadable(part, error))));
  const total = await numbers.then(
    (read) => read.total,
    () => 0,
  );
  return { faults: inOrder(found.flat()), numbers: total };
}

function unreadable(part: string, error: unknown): Fault[] {
  log("faults.not_read", { part, ...errorFields(error) });
  return [{ kind: "check", code: "unreadable", subject: part, detail: null, since: null, count: null, instance: null }];
}

async function checkFaults(env: Env, crons: readonly string[], now: number): Promise<Fault[]> {
  const [checks, mail] = await Promise.all([selfCheck(env, crons, now), mailFailure(env.DB).catch(() => null)]);
  const isSandbox = settingsOf(env).BRIDGE_NETWORK === "local";
  // Skips alarms, because they are listed one by one. A sandbox always has example addresses and no cron events.
  const skipped: readonly CheckName[] = isSandbox ? ["alarms", "settings", "crons"] : ["alarms"];
  const failed = checks.filter(({ name, ok }) => !ok && !skipped.includes(name));
  return failed.map(({ name, detail }) => {
    const known = name === "mail" && mail !== null ? { detail: mail.error, since: mail.failedAt } : { detail, since: null };
    return { kind: "check", code: name, subject: null, ...known, count: null, instance: null };
  });
}

async function alarmFaults(env: Env): Promise<Fault[]> {
  const [{ alarms }, pausedSince] = await Promise.all([wholeFleet(env), ownerMailsPausedSince(env)]);
  return withMailQuota(alarms, pausedSince).map(({ kind, code, sessions, raisedAt }) => {
    return { kind: "alarm", code: `${kind} ${code}`, subject: null, detail: null, since: raisedAt, count: sessions, instance: null };
  });
}

async function proxyFaults(binding: D1Database): Promise<Fault[]> {
  const { status, lastError, outageAt } = proxyHealth;
  const rows = await databaseOf(binding)
    .select({ proxyId: proxy.id, label: proxy.label, status, lastError, outageAt, assigned: assignedTo(sql`${proxy.id}`) })
    .from(proxy)
    .innerJoin(proxyHealth, eq(proxyHealth.proxyId, proxy.id))
    .where(or(eq(status, "down"), eq(status, "degraded")))
    .limit(NUMBERS);
  return rows.map(({ proxyId, label, status: code, lastError: detail, outageAt: since, assigned }) => {
    return { kind: "proxy", code, subject: label, proxyId, detail, since, count: assigned, instance: null };
  });
}

export const instanceColumns = {
  id: connection.uuid,
  name: connection.name,
  phone: connectionState.phone,
  owner: { id: user.id, email: user.email },
};

async function troubledNumbers(binding: D1Database): Promise<{ faults: Fault[]; total: number }> {
  const database = databaseOf(binding);
  const { reason, statusChangedAt } = connectionState;
  // Excludes suspended accounts, because their numbers are disconnected on purpose.
  const troubled = and(isNull(connection.removedAt), eq(user.status, "active"), inArray(reason, TROUBLED_REASONS));
  const [rows, [counted]] = await database.batch([
    database
      .select({ ...instanceColumns, reason, since: statusChangedAt })
      .from(connectionState)
      .innerJoin(connection, eq(connection.id, connectionState.connectionId))
      .innerJoin(user, eq(user.id, connection.ownerId))
      .where(troubled)
      .orderBy(desc(statusChangedAt), desc(connection.id))
      .limit(NUMBERS),
    database
      .select({ total: count() })
      .from(connectionState)
      .innerJoin(connection, eq(connection.id, connectionState.connectionId))
      .innerJoin(user, eq(user.id, connection.ownerId))
      .where(troubled),
  ]);
  const faults = rows.map(({ reason: code, since, ...instance }): Fault => {
    return { kind: "number", code: code ?? "", subject: null, detail: null, since, count: null, instance };
  });
  return { faults, total: counted?.total ?? 0 };
}

async function failuresCounted(env: Env, now: number): Promise<CountedFailures[]> {
  await bringRunningHour(env, { kind: "all" });
  // Must repeat the condition of the `hourly_count_failed` index exactly, because otherwise SQLite does not use the partial index.
  const rows = await databaseOf(env.DB).all<{ uuid: string; at: number; counts: string }>(sql`
    SELECT substr(scope, 12) AS uuid, at, counts FROM hourly_count
    WHERE at >= ${hourOf(now) - COUNTED_HOURS * HOUR_MS} AND substr(scope, 1, 11) = 'connection:' AND instr(counts, '"error.') > 0
    ORDER BY at DESC LIMIT ${COUNTED_ROWS}`);
  const instances = await instancesOf(
    env.DB,
    rows.map(({ uuid }) => uuid),
  );
  return rows.flatMap(({ uuid, at, counts }) => {
    const instance = instances.get(uuid);
    return instance === undefined ? [] : [{ at, counts: JSON.parse(counts) as Counts, instance }];
  });
}

async function instancesOf(binding: D1Database, uuids: readonly string[]): Promise<Map<string, FaultyInstance>> {
  const rows = await databaseOf(binding)
    .select(instanceColumns)
    .from(connection)
    .innerJoin(user, eq(user.id, connection.ownerId))
    .leftJoin(connectionState, eq(connectionState.connectionId, connection.id))
    .where(and(isNull(connection.removedAt), inArray(connection.uuid, rowsOf(uuids))));
  return new Map(rows.map((row) => [row.id, row]));
}
