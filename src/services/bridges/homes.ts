// Which pool a connection that is made belongs to, and what is known of the shards for that (docs/operate/bridges.md, "Pool shards").
import { asc, eq, inArray, sql } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection, poolShard } from "../../db/schema.ts";
import {
  byDistance,
  homeOf,
  isOpen,
  isRegion,
  type Region,
  regionOfPlace,
  regionOfPool,
  type Shard,
} from "@gateway/domain/fleet/shards.ts";
import { type Env, settingsOf } from "../../env.ts";
import { DEFAULT_POOL } from "@gateway/protocol/internal-http.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";

/** What a shard wrote longer ago says nothing any more: it writes every minute. */
const FRESH_MS = 5 * MINUTE_MS;

export type ShardState = typeof poolShard.$inferSelect & { name: Shard };

/** The shards that take further connections: those of the setting that have said lately that they have bridges. */
export async function openShards(env: Env, now: number): Promise<ShardState[]> {
  const { POOL_SHARDS } = settingsOf(env);
  if (POOL_SHARDS.length === 0) return [];
  const rows = await databaseOf(env.DB).select().from(poolShard);
  return POOL_SHARDS.flatMap((name) => {
    const row = rows.find((each) => each.name === name);
    const takes = row !== undefined && row.bridges > 0 && row.writtenAt > now - FRESH_MS && isOpen(row.connections);
    return takes ? [{ ...row, name }] : [];
  });
}

/** Decided once, when it is made. Null: the pool `default`. */
export async function homeForNew(env: Env, uuid: string, region: Region | null): Promise<Shard | null> {
  return homeOf(
    uuid,
    region,
    (await openShards(env, Date.now())).map(({ name }) => name),
  );
}

/**
 * The pool of a bridge that starts without one: of the regions with shards the one it names, else the nearest, and there the shard that has
 * the fewest bridges. The platform's own names of places lead nowhere: then by where it calls from.
 */
export async function homeOfBridge(env: Env, named: string | null, seen: Region | null): Promise<string> {
  const { POOL_SHARDS } = settingsOf(env);
  const [first] = POOL_SHARDS;
  if (first === undefined) return DEFAULT_POOL;
  const said = named?.toLowerCase() ?? "";
  const region = isRegion(said) ? said : (seen ?? regionOfPool(first));
  const near = byDistance(region ?? "weur").find((each) => POOL_SHARDS.some((shard) => regionOfPool(shard) === each));
  const rows = await databaseOf(env.DB).select().from(poolShard);
  const bridgesOf = (shard: Shard) => rows.find(({ name }) => name === shard)?.bridges ?? 0;
  const shards = POOL_SHARDS.filter((shard) => regionOfPool(shard) === near);
  // Many that start at once find the same summary: among equals each takes its own.
  const fewest = Math.min(...shards.map(bridgesOf));
  const lacking = shards.filter((shard) => bridgesOf(shard) === fewest);
  return lacking[Math.floor(Math.random() * lacking.length)] ?? DEFAULT_POOL;
}

/** Where the caller is, as the edge sees it. */
export function regionOfRequest(request: Request): Region | null {
  const { continent, longitude } = (request as { cf?: { continent?: string; longitude?: string } }).cf ?? {};
  return regionOfPlace({ continent, longitude });
}

export async function countHomed(env: Pick<Env, "DB">, home: Shard, count: number): Promise<void> {
  await databaseOf(env.DB)
    .update(poolShard)
    .set({ connections: sql`${poolShard.connections} + ${count}` })
    .where(eq(poolShard.name, home));
}

/** What a shard says of itself; false while it has no row. */
export async function writeShard(binding: D1Database, name: string, bridges: number, places: number, now: number): Promise<boolean> {
  const shard = { bridges, places, writtenAt: now };
  const written = await databaseOf(binding)
    .update(poolShard)
    .set(shard)
    .where(eq(poolShard.name, name))
    .returning({ name: poolShard.name });
  return written.length > 0;
}

/**
 * Called every minute: shards of the setting get their row, the one that was counted longest ago is counted, and those that the setting
 * names no more are forgotten when nothing is left of them.
 */
export async function keepShardRows(env: Env, now: number): Promise<void> {
  const { POOL_SHARDS } = settingsOf(env);
  const database = databaseOf(env.DB);
  const [oldest] = await database.select({ name: poolShard.name }).from(poolShard).orderBy(asc(poolShard.countedAt)).limit(1);
  if (POOL_SHARDS.length > 0) {
    const listed = JSON.stringify(POOL_SHARDS);
    await database.run(sql`INSERT OR IGNORE INTO pool_shard (name) SELECT value FROM json_each(${listed})`);
  }
  if (oldest === undefined) return;
  // The index has it: no row of a connection is read.
  const homed = sql`(SELECT COUNT(*) FROM ${connection} WHERE home = ${oldest.name})`;
  const [counted] = await database
    .update(poolShard)
    .set({ connections: homed, countedAt: now })
    .where(eq(poolShard.name, oldest.name))
    .returning();
  const isGone = counted?.connections === 0 && counted.bridges === 0 && !(POOL_SHARDS as string[]).includes(counted.name);
  if (isGone) await database.delete(poolShard).where(inArray(poolShard.name, [counted.name]));
}
