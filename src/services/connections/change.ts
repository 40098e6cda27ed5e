import { and, eq, or, sql } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { connection } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { hasRoom, noRoom } from "../proxies/room.ts";
import { noLongerPending, PENDING } from "./push-records.ts";
import { connectionStub } from "./stub.ts";
import { type ConnectionRow, lookUpRecord } from "./record.ts";

/** Absent fields stay unchanged; `settings` and `metadata` are replaced as a whole. */
export type ConnectionChanges = Partial<
  Pick<ConnectionRow, "name" | "settings" | "metadata" | "proxyId" | "cloudPhoneNumberId" | "cloudWabaId" | "cloudTokenLast4">
>;

/** Applied when this returns; when it throws, the watchdog pushes it. Fails with `proxy_full` or `validation_error`. */
export async function changeConnection(
  env: Env,
  row: ConnectionRow,
  changes: ConnectionChanges,
  now: number,
): Promise<Outcome<ConnectionRow>> {
  const set = { ...changes, updatedAt: now, pendingRevision: sql.raw(PENDING) };
  const { proxyId = null } = changes;
  const fits = proxyId === null ? undefined : or(eq(connection.proxyId, proxyId), hasRoom(proxyId, sql`1`));
  const database = databaseOf(env.DB);
  const [changed] = await retriedWrite(() =>
    database
      .update(connection)
      .set(set)
      .where(and(eq(connection.id, row.id), fits))
      .returning(),
  );
  if (changed === undefined) return proxyId === null ? fail("instance_not_found") : noRoom(env.DB, proxyId, 1);
  const record = await lookUpRecord(env, row.uuid);
  if (record === null) return fail("instance_not_found");
  await connectionStub(env, row.uuid).configure(record);
  await retriedWrite(() => noLongerPending(database, [row.uuid], record.revision));
  return succeed(changed);
}
