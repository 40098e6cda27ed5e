import { and, eq, gt, exists, sql } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection, proxy, proxyHealth } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { PENDING, pushPendingOfAll } from "../connections/push-records.ts";
import { sealProxyPassword } from "./address.ts";
import type { NewProxy } from "./create.ts";
import { findProxy, type Proxy } from "./find.ts";
import { assignedTo } from "./room.ts";

/** Absent fields stay as they are. */
export type ProxyChanges = Partial<NewProxy>;

const ADDRESS_FIELDS = ["protocol", "host", "port", "username", "password"] as const satisfies readonly (keyof NewProxy)[];

/**
 * Changes a proxy. With another address or other credentials nothing is known of it any more, and its connections reconnect: when this
 * returns, the objects of large accounts and 400 others apply it, and the watchdog goes on with the rest, and with those that could not be reached;
 * repeating it is safe. Fails `proxy_full` when it carries more connections than it may from now on, `proxy_not_found`.
 */
export async function changeProxy(env: Env, before: Proxy, { password, ...fields }: ProxyChanges): Promise<Outcome<Proxy>> {
  const { id } = before;
  const sealed = password === undefined ? {} : { passwordSealed: password === null ? null : sealProxyPassword(env, id, password) };
  const moved = ADDRESS_FIELDS.some((field) =>
    field === "password" ? password !== undefined : fields[field] !== undefined && fields[field] !== before[field],
  );
  const set = { ...fields, ...sealed, ...(moved ? { revision: sql`${proxy.revision} + 1` } : {}) };
  const database = databaseOf(env.DB);
  if (Object.keys(set).length === 0) return succeed(before);
  const max = fields.maxInstances;
  const fits = max === undefined ? undefined : sql`${assignedTo(sql`${proxy.id}`)} <= ${max}`;
  const update = database
    .update(proxy)
    .set(set)
    .where(and(eq(proxy.id, id), fits))
    .returning();
  const isMoved = exists(
    database
      .select()
      .from(proxy)
      .where(and(eq(proxy.id, id), gt(proxy.revision, before.revision))),
  );
  const forget = database.delete(proxyHealth).where(and(eq(proxyHealth.proxyId, id), isMoved));
  const mark = database
    .update(connection)
    .set({ pendingRevision: sql.raw(PENDING) })
    .where(and(eq(connection.proxyId, id), isMoved));
  const [[changed]] = await database.batch([update, ...(moved ? [forget, mark] : [])]);
  if (changed === undefined) {
    const now = await findProxy(env.DB, id);
    return now === null ? fail("proxy_not_found") : fail("proxy_full", { details: { max_instances: max ?? 0, assigned: now.assigned } });
  }
  // Also what an earlier change has left.
  await pushPendingOfAll(env, eq(connection.proxyId, id));
  return succeed(changed);
}
