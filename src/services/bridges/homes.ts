// Chooses the pool for new connections and bridges (docs/operate/bridges.md, "Pool shards").
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

const FRESH_MS = 5 * MINUTE_MS;

export type ShardState = typeof poolShard.$inferSelect & { name: Shard };

/** Shards in the setting that have recently reported bridges with capacity. */
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

export async function homeForNew(env: Env, uuid: string, region: Region | null): Promise<Shard | null> {
  return homeOf(
    uuid,
    region,
    (await openShards(env, Date.now())).map(({ name }) => name),
  );
}

/** Returns the shard with the fewest bridges in the named region, or else in the nearest region with shards. */
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
  // Bridges that start together see the same counts, so a random shard is chosen if several have the fewest bridges.
  const fewest = Math.min(...shards.map(bridgesOf));
  const lacking = shards.filter((shard) => bridgesOf(shard) === fewest);
  return lacking[Math.floor(Math.random() * lacking.length)] ?? DEFAULT_POOL;
}

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

export async function writeShard(binding: D1Database, name: string, bridges: number, places: number, now: number): Promise<boolean> {
  const shard = { bridges, places, writtenAt: now };
  const written = await databaseOf(binding)
    .update(poolShard)
    .set(shard)
    .where(eq(poolShard.name, name))
    .returning({ name: poolShard.name });
  return written.length > 0;
}

/** Called every minute: adds rows of new shards, recounts the oldest, and deletes rows of empty removed shards. */
export async function keepShardRows(env: Env, now: number): Promise<void> {
  const { POOL_SHARDS } = settingsOf(env);
  const database = databaseOf(env.DB);
  const [oldest] = await database.select({ name: poolShard.name }).from(poolShard).orderBy(asc(poolShard.countedAt)).limit(1);
  if (POOL_SHARDS.length > 0) {
    const listed = JSON.stringify(POOL_SHARDS);
    await database.run(sql`INSERT OR IGNORE INTO pool_shard (name) SELECT value FROM json_each(${listed})`);
  }
  if (oldest === undefined) return;
  const homed = sql`(SELECT COUNT(*) FROM ${connection} WHERE home = ${oldest.name})`;
  const [counted] = await database
    .update(poolShard)
    .set({ connections: homed, countedAt: now })
    .where(eq(poolShard.name, oldest.name))
    .returning();
  const isGone = counted?.connections === 0 && counted.bridges === 0 && !(POOL_SHARDS as string[]).includes(counted.name);
  if (isGone) await database.delete(poolShard).where(inArray(poolShard.name, [counted.name]));
}
