import { and, asc, eq } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { accountWebhook } from "../../db/schema.ts";

export type AccountWebhook = typeof accountWebhook.$inferSelect;

export function listWebhooks(binding: D1Database, userId: string): Promise<AccountWebhook[]> {
  return databaseOf(binding)
    .select()
    .from(accountWebhook)
    .where(eq(accountWebhook.userId, userId))
    .orderBy(asc(accountWebhook.createdAt), asc(accountWebhook.id));
}

export async function findWebhook(binding: D1Database, userId: string, id: string): Promise<AccountWebhook | null> {
  const rows = await databaseOf(binding)
    .select()
    .from(accountWebhook)
    .where(and(eq(accountWebhook.userId, userId), eq(accountWebhook.id, id)))
    .limit(1);
  return rows[0] ?? null;
}
