import { sql } from "drizzle-orm";
import { databaseOf, rowsOf } from "../../db/database.ts";
import type { Env } from "../../env.ts";
import { unsupportedChange } from "@gateway/domain/instance/kinds.ts";
import type { Kind } from "@gateway/protocol/operations.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { namedIn, PENDING, pushPendingOfAll } from "../connections/push-records.ts";
import { hasRoom, noRoom } from "./room.ts";

export type Assigned = { uuid: string; from: string | null };

/**
 * All or none, of any owner. Objects of large accounts and 400 others apply it before this returns; the watchdog pushes the rest. Fails
 * with `instance_not_found`, `not_supported` or `proxy_full`.
 */
export async function assignProxy(env: Env, id: string, uuids: readonly string[], now: number): Promise<Outcome<Assigned[]>> {
  const database = databaseOf(env.DB);
  const named = sql`uuid IN ${rowsOf(uuids)} AND removed_at IS NULL`;
  const known = await database.all<Assigned & { kind: Kind }>(sql`SELECT uuid, proxy_id AS "from", kind FROM connection WHERE ${named}`);
  const missing = uuids.find((uuid) => !known.some((row) => row.uuid === uuid));
  if (missing !== undefined) return fail("instance_not_found", { details: { instance_id: missing } });
  const without = known.find(({ kind }) => unsupportedChange(kind, { proxyId: id }) !== null);
  if (without !== undefined) return fail("not_supported", { details: { kind: without.kind, instance_id: without.uuid } });
  const others = sql`(SELECT COUNT(*) FROM connection WHERE ${named} AND proxy_id IS NOT ${id})`;
  const given = await database.all<{ uuid: string }>(
    sql`UPDATE connection SET proxy_id = ${id}, updated_at = ${now}, pending_revision = ${sql.raw(PENDING)}
      WHERE ${named} AND ${hasRoom(id, others)} RETURNING uuid`,
  );
  if (given.length === 0) return noRoom(env.DB, id, uuids.length);
  await pushPendingOfAll(env, namedIn(uuids));
  return succeed(known.map(({ uuid, from }) => ({ uuid, from })));
}
