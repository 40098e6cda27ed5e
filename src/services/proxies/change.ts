import { and, eq, gt, exists, sql } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { connection, proxy, proxyHealth } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { PENDING, pushPendingOfAll } from "../connections/push-records.ts";
import { sealProxyPassword } from "./address.ts";
import { findProxy, type Proxy } from "./find.ts";
import { assignedTo } from "./room.ts";

export type ProxyChanges = Partial<NewProxy>;

const ADDRESS_FIELDS = ["protocol", "host", "port", "username", "password"] as const satisfies readonly (keyof NewProxy)[];

/**
 * A new address or credentials reset its health, and its connections reconnect. Fails with `proxy_full` (more connections than the new
 * limit) or `proxy_not_found`.
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
  const [[changed]] = await retriedWrite(() => database.batch([update, ...(moved ? [forget, mark] : [])]));
  if (changed === undefined) {
    const now = await findProxy(env.DB, id);
    return now === null ? fail("proxy_not_found") : fail("proxy_full", { details: { max_instances: max ?? 0, assigned: now.assigned } });
  }
  await pushPendingOfAll(env, eq(connection.proxyId, id));
  return succeed(changed);
}

export type NewProxy = Omit<Proxy, "id" | "passwordSealed" | "revision" | "createdAt"> & { password: string | null };

export async function createProxy(env: Env, { password, ...fields }: NewProxy, now: number): Promise<Proxy> {
  const id = crypto.randomUUID();
  const passwordSealed = password === null ? null : sealProxyPassword(env, id, password);
  const row = { id, ...fields, passwordSealed, revision: 1, createdAt: now };
  await retriedWrite(() => databaseOf(env.DB).insert(proxy).values(row).onConflictDoNothing());
  return row;
}
