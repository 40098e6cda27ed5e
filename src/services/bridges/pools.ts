// Calls all of the deployment's pools. A pool that is down does not affect the results of the others.
import { databaseOf } from "../../db/database.ts";
import { poolShard, connection } from "../../db/schema.ts";
import { type Env, settingsOf } from "../../env.ts";
import { errorFields, log } from "../../log.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { DEFAULT_POOL } from "@gateway/protocol/internal-http.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import { mapAtMost } from "../batches.ts";
import { isTransientError } from "../exceptions.ts";
import { inTime } from "../object-calls.ts";
import { keepShardRows } from "./homes.ts";
import {
  type BridgePoolStub,
  type BridgeView,
  type FleetView,
  poolOf,
  PROXY_WATCH_URL,
  type StoredRollout,
  type Moved,
} from "./pool-stub.ts";
import { isTakenBack, type Rollout } from "@gateway/domain/fleet/rollout.ts";
import type { ClientVersionSetting } from "@gateway/protocol/bridge-socket.ts";
import { and, eq, isNull } from "drizzle-orm";

/** The directory only adds pools that were removed from the setting, so a cached list is recent enough. */
const LISTED_MS = MINUTE_MS;
/** The directory is skipped if it takes longer, so that it does not delay the pools. */
const DIRECTORY_MS = 5_000;
const ANSWER_MS = 10_000;
/** Longer than the 30 s that a pool waits for a container. */
const CONTAINER_MS = 35_000;
const CONCURRENCY = 6;
/** Limits per run of the watchdog. Later runs handle the remaining pools. */
const POOLS_PER_RUN = 60;
const RUN_MS = 45_000;

const listedOf = new WeakMap<Env, { names: string[]; at: number }>();

/** The `default` pool, the shards in the setting, and removed shards, which may still have connections. */
export async function poolsOf(env: Env, now = Date.now()): Promise<string[]> {
  const { POOL_SHARDS } = settingsOf(env);
  let listed = listedOf.get(env);
  if (listed === undefined || now < listed.at || now - listed.at >= LISTED_MS) {
    try {
      const rows = await inTime(databaseOf(env.DB).select({ name: poolShard.name }).from(poolShard), DIRECTORY_MS);
      listed = { names: rows.map(({ name }) => name), at: now };
      listedOf.set(env, listed);
    } catch (error) {
      log("pool.not_listed", errorFields(error));
    }
  }
  return [...new Set<string>([DEFAULT_POOL, ...POOL_SHARDS, ...(listed?.names ?? [])])];
}

/** Returns results in pool order, without pools that failed or timed out. Throws if all failed. */
export async function askPools<T>(env: Env, ask: Ask<T>, withinMs?: number): Promise<T[]> {
  return askThese(env, await poolsOf(env), ask, { withinMs });
}

type Ask<T> = (pool: BridgePoolStub, name: string) => Promise<T>;
type Limits = { withinMs?: number | undefined; until?: number };

async function askThese<T>(
  env: Env,
  names: readonly string[],
  ask: Ask<T>,
  { withinMs = ANSWER_MS, until = Number.POSITIVE_INFINITY }: Limits,
): Promise<T[]> {
  const failures: unknown[] = [];
  const answers = await mapAtMost(names, CONCURRENCY, async (name) => {
    if (Date.now() >= until) return [];
    try {
      return [await inTime(ask(poolOf(env, name), name), withinMs)];
    } catch (error) {
      failures.push(error);
      log("pool.unreachable", { pool: name, ...errorFields(error) });
      return [];
    }
  });
  const given = answers.flatMap((each) => each);
  if (given.length === 0 && failures.length > 0) throw failures[0];
  return given;
}

type PoolView = { name: string; bridges: BridgeView[]; queued: number };

export function allPools(env: Env, withinMs?: number): Promise<PoolView[]> {
  return askPools(env, async (pool, name) => ({ name, ...(await pool.list()) }), withinMs);
}

export async function allBridges(env: Env, withinMs?: number): Promise<BridgeView[]> {
  return (await allPools(env, withinMs)).flatMap(({ bridges }) => bridges);
}

export function drainBridge(env: Env, bridge: string, force: boolean): Promise<Outcome<{ sessions: number }>> {
  return askItsPool(env, (pool) => pool.drain(bridge, force));
}

export function restartBridge(env: Env, bridge: string): Promise<Outcome<{ sessions: number }>> {
  return askItsPool(env, (pool) => pool.restart(bridge), CONTAINER_MS);
}

export function metricsOfBridge(env: Env, bridge: string): Promise<Outcome<string>> {
  return askItsPool(env, (pool) => pool.metrics(bridge), CONTAINER_MS);
}

/** Returns the result of the pool that knows the bridge, or `bridge_not_found` if none does. */
async function askItsPool<T>(env: Env, ask: Ask<Outcome<T>>, withinMs?: number): Promise<Outcome<T>> {
  const answers = await askPools(env, ask, withinMs);
  const isKnown = (answer: Outcome<unknown>) => answer.ok || answer.failure.code !== "bridge_not_found";
  return answers.find(isKnown) ?? fail("bridge_not_found");
}

export async function wholeFleet(env: Env): Promise<FleetView> {
  const fleets = await askPools(env, (pool) => pool.fleet());
  const sum = (count: (fleet: FleetView) => number) => fleets.reduce((total, fleet) => total + count(fleet), 0);
  return {
    sessions: sum(({ sessions }) => sessions),
    away: sum(({ away }) => away),
    troubles: joined(
      fleets.flatMap(({ troubles }) => troubles),
      (one, other) => ({ ...one, total: one.total + other.total, sessions: one.sessions + other.sessions }),
    ),
    alarms: joined(
      fleets.flatMap(({ alarms }) => alarms),
      (one, other) => ({ ...one, sessions: one.sessions + other.sessions, raisedAt: Math.min(one.raisedAt, other.raisedAt) }),
    ),
    rollout: newestShare(fleets.map(({ rollout }) => rollout)),
  };
}

function joined<T extends { kind: string; code: string }>(all: readonly T[], join: (one: T, other: T) => T): T[] {
  const byName = new Map<string, T>();
  for (const each of all) {
    const name = `${each.kind} ${each.code}`;
    const known = byName.get(name);
    byName.set(name, known === undefined ? each : join(known, each));
  }
  return [...byName.values()];
}

/** `default` stores the rollout, but a shard may have rejected the build by now. */
function newestShare([first = null, ...others]: readonly (StoredRollout | null)[]): StoredRollout | null {
  if (first === null) return null;
  const same = [first, ...others.filter((other) => other !== null && other.build === first.build)].filter((each) => each !== null);
  const newest = same.reduce((one, other) => (other.changedAt > one.changedAt ? other : one));
  // Only the shard that rejected the build knows the reason.
  const rejectedFor = isTakenBack(newest) ? (same.find((each) => each.rejectedFor !== null)?.rejectedFor ?? null) : newest.rejectedFor;
  return { ...newest, rejectedFor };
}

/** Returns the previous rollout. Throws if the `default` pool could not be reached. The watchdog corrects other pools later. */
export async function setShareOfAll(env: Env, rollout: Rollout | null): Promise<{ before: StoredRollout | null }> {
  const { before } = await poolOf(env, null).setRollout(rollout);
  await askPools(env, async (pool, name) => name === DEFAULT_POOL || (await pool.setRollout(rollout)));
  return { before };
}

export async function setClientVersionOfAll(env: Env, setting: ClientVersionSetting): Promise<ClientVersionSetting> {
  const before = await poolOf(env, null).setClientVersion(setting);
  await askPools(env, async (pool, name) => name === DEFAULT_POOL || (await pool.setClientVersion(setting)));
  return before;
}

export async function keepAllBridges(env: Env, now = Date.now()): Promise<void> {
  // Pools are kept awake even while D1 is unavailable, because containers that nobody keeps awake go to sleep.
  const [rows] = await Promise.allSettled([inTime(keepShardRows(env, now), DIRECTORY_MS)]);
  const names = await poolsOf(env);
  const pools = poolsOfRun(names, now);
  const until = Date.now() + RUN_MS;
  await askThese(env, pools, (pool) => pool.keepBridges(), { withinMs: MINUTE_MS, until });
  if (names.length > 1) await levelPools(env, [...new Set([DEFAULT_POOL, ...pools])], until);
  if (rows.status === "rejected") throw rows.reason;
}

/** Starts at a random pool, because otherwise the same unresponsive pools would always use up the time for the others. */
function poolsOfRun(names: readonly string[], now: number): string[] {
  const first = names.length <= POOLS_PER_RUN ? 0 : (Math.floor(now / MINUTE_MS) * POOLS_PER_RUN) % names.length;
  const pools = [...names, ...names].slice(first, first + Math.min(names.length, POOLS_PER_RUN));
  const anywhere = Math.floor(Math.random() * pools.length);
  return [...pools.slice(anywhere), ...pools.slice(0, anywhere)];
}

/** If a shard has rejected a build, `default` learns about it first, and the other shards in later runs. */
async function levelPools(env: Env, names: readonly string[], until: number): Promise<void> {
  const ask: Ask<{ name: string; version: ClientVersionSetting; share: StoredRollout | null }> = async (pool, name) => ({
    name,
    version: await pool.clientVersion(),
    share: (await pool.fleet()).rollout,
  });
  const set = await askThese(env, names, ask, { until });
  const own = set.find(({ name }) => name === DEFAULT_POOL);
  if (own === undefined) return;
  const share = newestShare([own.share, ...set.filter((each) => each !== own).map((each) => each.share)]);
  const lacksVersion = new Set(set.flatMap(({ name, version }) => (isEqual(version, own.version) ? [] : [name])));
  const lacksShare = new Set(set.flatMap(({ name, share: has }) => (isEqual(shareOf(has), shareOf(share)) ? [] : [name])));
  const level: Ask<void> = async (pool, name) => {
    if (lacksVersion.has(name)) await pool.setClientVersion(own.version);
    if (lacksShare.has(name)) await pool.setRollout(shareOf(share));
  };
  await askThese(env, [...new Set([...lacksVersion, ...lacksShare])], level, { until });
}

const shareOf = (stored: StoredRollout | null): Rollout | null =>
  stored === null ? null : { build: stored.build, percent: stored.percent, connections: stored.connections };

const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

export async function firstAnswer<T>(env: Env, ask: (pool: BridgePoolStub) => Promise<T | null>): Promise<T | null> {
  for (const name of await poolsOf(env)) {
    const answer = await ask(poolOf(env, name)).catch((error: unknown) => {
      log("pool.unreachable", { pool: name, ...errorFields(error) });
      return null;
    });
    if (answer !== null) return answer;
  }
  return null;
}

/** Returns a socket that is not accepted yet. The pool reports on it that proxies were checked. Null while the pool is unreachable. */
export async function openProxySocket(env: Env): Promise<WebSocket | null> {
  const upgrade = () => new Request(PROXY_WATCH_URL, { headers: { upgrade: "websocket" } });
  try {
    return (await poolOf(env, null).fetch(upgrade())).webSocket;
  } catch (error) {
    if (isTransientError(error)) return null;
    throw error;
  }
}

/** Fails with `instance_not_found`, `without_session`, or for the same reasons as the pool's `move`. */
export async function moveSession(
  env: Pick<Env, "DB" | "BRIDGE_POOL" | "REGION">,
  uuid: string,
  to: string | null,
): Promise<Outcome<Moved>> {
  const [row] = await databaseOf(env.DB)
    .select({ kind: connection.kind, home: connection.home })
    .from(connection)
    .where(and(eq(connection.uuid, uuid), isNull(connection.removedAt)));
  if (row === undefined) return fail("instance_not_found");
  if (row.kind !== "session") return fail("without_session");
  return poolOf(env, row.home).move(uuid, to);
}
