import { and, eq } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { proxy } from "../../db/schema.ts";

export type Proxy = typeof proxy.$inferSelect;

/** A proxy that may be used now, or null. */
export async function findProxy(binding: D1Database, id: string): Promise<Proxy | null> {
  const rows = await databaseOf(binding)
    .select()
    .from(proxy)
    .where(and(eq(proxy.id, id), eq(proxy.isActive, true)))
    .limit(1);
  return rows[0] ?? null;
}
