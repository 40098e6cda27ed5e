// Moves connections off pools that the setting no longer lists, or back to `default`.
import { and, asc, eq, isNull, notInArray, or, sql } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection, connectionState } from "../../db/schema.ts";
import { homeOf, isShard, MAX_REHOMED_PER_MINUTE, regionOfPhone, regionOfPool, takesNew } from "@gateway/domain/fleet/shards.ts";
import { type Env, settingsOf } from "../../env.ts";
import { log } from "../../log.ts";
import { DEFAULT_POOL } from "@gateway/protocol/internal-http.ts";
import { batchesOf } from "../batches.ts";
import { namedIn, PENDING, pushPendingRecords } from "../connections/push-records.ts";
import { countHomed, openShards, type ShardState } from "./homes.ts";
import { poolOf } from "./pool-stub.ts";
import { poolsOf } from "./pools.ts";

const PER_SECOND = 5;
const SECOND_MS = 1_000;

type Candidate = { uuid: string; phone: string | null; status: string | null };

export async function rehomeSome(env: Env, now: number, pause = () => scheduler.wait(SECOND_MS)): Promise<void> {
  const { POOL_REHOMED_PER_MINUTE: limit } = settingsOf(env);
  if (limit === 0) return;
  const freePlaces = await freePlacesOf(env, now);
  for (const from of await closingPools(env)) {
    const candidates = await candidatesOf(env, from, limit);
    if (candidates.length === 0) await drainEmptied(env, from);
    else return await rehomeAll(env, from, candidates, freePlaces, pause);
  }
}

async function freePlacesOf(env: Env, now: number): Promise<Map<string, number>> {
  if (settingsOf(env).POOL_SHARDS.length === 0) return new Map([[DEFAULT_POOL, Number.POSITIVE_INFINITY]]);
  const open = await openShards(env, now);
  return new Map(open.map(({ name, places }: ShardState) => [name, Math.min(places, MAX_REHOMED_PER_MINUTE)]));
}

async function closingPools(env: Env): Promise<string[]> {
  return (await poolsOf(env)).filter((name) => !takesNew(name, settingsOf(env).POOL_SHARDS));
}

/** Connections without a session come first. Connections that are pairing or connecting are left for later. */
async function candidatesOf(env: Env, from: string, limit: number): Promise<Candidate[]> {
  const { status, phone } = connectionState;
  const page = await databaseOf(env.DB)
    .select({ uuid: connection.uuid, phone, status })
    .from(connection)
    .leftJoin(connectionState, eq(connectionState.connectionId, connection.id))
    .where(and(homeIs(from), isNull(connection.removedAt), or(isNull(status), notInArray(status, ["connecting", "scan_qr"]))))
    .orderBy(asc(connection.id))
    .limit(limit);
  return [...page.filter((each) => each.status !== "connected"), ...page.filter((each) => each.status === "connected")];
}

const homeIs = (pool: string) => (pool === DEFAULT_POOL ? isNull(connection.home) : eq(connection.home, pool));

async function rehomeAll(
  env: Env,
  from: string,
  candidates: readonly Candidate[],
  freePlaces: Map<string, number>,
  pause: () => Promise<void>,
): Promise<void> {
  let moved = 0;
  for (const batch of batchesOf(candidates, PER_SECOND)) {
    const homes = batch.flatMap(({ uuid, phone }) => {
      const open = [...freePlaces].flatMap(([name, places]) => (places > 0 && isShard(name) ? [name] : []));
      // Moves to `default`, or to a shard near the phone number's region, because the creator's location is not stored.
      const to = freePlaces.has(DEFAULT_POOL) ? DEFAULT_POOL : homeOf(uuid, regionOfPool(from) ?? regionOfPhone(phone), open);
      if (to === null) return [];
      freePlaces.set(to, (freePlaces.get(to) ?? 0) - 1);
      return [{ uuid, to }];
    });
    if (homes.length === 0) break;
    if (moved > 0) await pause();
    for (const { uuid, to } of homes) await rehome(env, uuid, from, to);
    moved += homes.length;
  }
  log("pool.rehomed", { pool: from, connections: moved, left: candidates.length - moved });
}

/** Pushing the record makes the object move the session. The watchdog repeats failed pushes. */
export async function rehome(env: Env, uuid: string, from: string, to: string): Promise<void> {
  const [changed] = await databaseOf(env.DB)
    .update(connection)
    .set({ home: to === DEFAULT_POOL ? null : to, pendingRevision: sql.raw(PENDING) })
    .where(and(eq(connection.uuid, uuid), homeIs(from), isNull(connection.removedAt)))
    .returning({ uuid: connection.uuid });
  if (changed === undefined) return;
  if (isShard(to)) await countHomed(env, to, 1);
  await pushPendingRecords(env, namedIn([uuid]), 1);
}

/** Bridges on rented machines stop once they have no sessions. After a restart, they ask again which pool they belong to. */
async function drainEmptied(env: Env, pool: string): Promise<void> {
  if (settingsOf(env).BRIDGE_HOST !== "external") return;
  const [left] = await databaseOf(env.DB).select({ id: connection.id }).from(connection).where(homeIs(pool)).limit(1);
  if (left !== undefined) return;
  const { bridges } = await poolOf(env, pool).list();
  for (const { id, assigned, connected, draining } of bridges)
    if (connected && !draining && assigned === 0) await poolOf(env, pool).drain(id, false);
}
