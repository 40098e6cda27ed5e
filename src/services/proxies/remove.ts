import type { Env } from "../../env.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { namedIn, PENDING, pushPendingOfAll } from "../connections/push-records.ts";

export type Reassigned = { uuid: string; to: string };

type Room = { id: string; room: number };

const ASSIGNED = "(SELECT COUNT(*) FROM connection c WHERE c.proxy_id = p.id AND c.removed_at IS NULL)";

const TARGETS = `SELECT p.id, p.max_instances - ${ASSIGNED} AS room FROM proxy p JOIN proxy_health h ON h.proxy_id = p.id
  WHERE p.id <> ?1 AND p.is_active = 1 AND h.status = 'healthy' AND p.max_instances > ${ASSIGNED}
  ORDER BY p.country IS NOT ?2, room DESC, p.id`;

const CARRIED = `SELECT ${ASSIGNED} AS assigned FROM proxy p WHERE p.id = ?1`;

/** Moves none unless all targets together have room for all. One transaction, so this holds while they fill up. */
const MOVE = `UPDATE connection SET proxy_id = ?2, updated_at = ?4, pending_revision = ${PENDING}
  WHERE id IN (
    SELECT id FROM connection WHERE proxy_id = ?1 AND removed_at IS NULL ORDER BY id
    LIMIT COALESCE((SELECT MAX(0, p.max_instances - ${ASSIGNED}) FROM proxy p WHERE p.id = ?2 AND p.is_active = 1), 0))
  AND (SELECT COUNT(*) FROM connection WHERE proxy_id = ?1 AND removed_at IS NULL)
    <= (SELECT SUM(MAX(0, p.max_instances - ${ASSIGNED})) FROM proxy p WHERE p.is_active = 1 AND p.id IN (SELECT value FROM json_each(?3)))
  RETURNING uuid, proxy_id AS "to"`;

const DELETE = `DELETE FROM proxy WHERE id = ?1
  AND NOT EXISTS (SELECT 1 FROM connection WHERE proxy_id = ?1 AND removed_at IS NULL) RETURNING id`;

/** With `reassign`, its connections move first, all or none. Fails with `proxy_in_use` or `proxy_not_found`, without any change. */
export async function removeProxy(
  env: Env,
  { id, country }: { id: string; country: string | null },
  reassign: boolean,
  now: number,
): Promise<Outcome<Reassigned[]>> {
  const [found, carried] = await env.DB.batch([env.DB.prepare(TARGETS).bind(id, country), env.DB.prepare(CARRIED).bind(id)]);
  const rooms = (found?.results ?? []) as Room[];
  const [counted] = (carried?.results ?? []) as { assigned: number }[];
  const targets = reassign ? enough(rooms, counted?.assigned ?? 0) : [];
  const moves = targets.map((target) => env.DB.prepare(MOVE).bind(id, target, JSON.stringify(targets), now));
  const done = await env.DB.batch<Reassigned>([...moves, env.DB.prepare(DELETE).bind(id)]);
  const deleted = done.at(-1)?.results ?? [];
  const moved = done.slice(0, -1).flatMap(({ results }) => results);
  if (deleted.length === 0) return refused(env.DB, id, rooms);
  await pushPendingOfAll(env, namedIn(moved.map(({ uuid }) => uuid)));
  return succeed(moved);
}

function enough(rooms: readonly Room[], connections: number): string[] {
  let left = connections;
  const needed = rooms.findIndex(({ room }) => (left -= room) <= 0);
  return connections === 0 ? [] : rooms.slice(0, needed + 1).map(({ id }) => id);
}

async function refused(binding: D1Database, id: string, rooms: readonly Room[]): Promise<Outcome<never>> {
  const row = await binding.prepare(CARRIED).bind(id).first<{ assigned: number }>();
  if (row === null) return fail("proxy_not_found");
  const room = rooms.reduce((sum, target) => sum + target.room, 0);
  return fail("proxy_in_use", { details: { assigned: row.assigned, room_on_others: room } });
}
