import { and, asc, eq } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { accountWebhook } from "../../db/schema.ts";
import { settingsOf, type Env } from "../../env.ts";
import { openColumn, sealColumn, type SealedFor } from "../secrets/vault.ts";

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

// Signing secrets of an account's endpoints, encrypted at rest under a key of that account.
export function webhookSecret(userId: string): SealedFor {
  return { owner: userId, context: "account webhook" };
}

export function sealSecret(env: Env, userId: string, secret: string | null): string | null {
  if (secret === null || secret === "") return null;
  return sealColumn(settingsOf(env).STATE_SECRET, webhookSecret(userId), secret);
}

export function openSecret(env: Env, { userId, secretSealed }: Pick<AccountWebhook, "userId" | "secretSealed">): string | null {
  return secretSealed === null ? null : openColumn(settingsOf(env).STATE_SECRET, webhookSecret(userId), secretSealed);
}
