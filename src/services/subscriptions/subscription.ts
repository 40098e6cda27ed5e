import { eq } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { subscription } from "../../db/schema.ts";

export type Subscription = typeof subscription.$inferSelect;

/** True if the account's keys work (docs/use/connection-api.md, "Authentication"). */
export function isActive(found: Subscription | null): boolean {
  return found !== null && (found.status === "active" || found.status === "trialing");
}

export async function findSubscription(binding: D1Database, userId: string): Promise<Subscription | null> {
  return (await databaseOf(binding).select().from(subscription).where(eq(subscription.userId, userId)).limit(1))[0] ?? null;
}
