// Moves an instance's session to another bridge.
import { and, eq, isNull } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { type Moved, poolOf } from "./pool-stub.ts";

/**
 * To the bridge `to`, or to the least loaded other one. Fails `instance_not_found`, `without_session`, and as the pool does:
 * `instance_not_connected`, `bridge_not_found`, `already_on_bridge`, `bridge_draining`, `bridge_full`.
 */
export async function moveSession(env: Pick<Env, "DB" | "BRIDGE_POOL">, uuid: string, to: string | null): Promise<Outcome<Moved>> {
  const [row] = await databaseOf(env.DB)
    .select({ kind: connection.kind, home: connection.home })
    .from(connection)
    .where(and(eq(connection.uuid, uuid), isNull(connection.removedAt)));
  if (row === undefined) return fail("instance_not_found");
  if (row.kind !== "session") return fail("without_session");
  return poolOf(env, row.home).move(uuid, to);
}
