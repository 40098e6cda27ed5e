// Suspending an account: nobody gets in any more, its streams end, its numbers disconnect, and its connections' keys answer 403.
import { and, eq, ne } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { user } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { endStreams } from "../accounts/streams.ts";
import { pushRecordsOfOwner } from "../connections/push-records.ts";

/** When it returns, it binds everywhere. Lifting a suspension connects nothing. An account that is being removed stays so. */
export async function setSuspended(env: Env, userId: string, suspended: boolean): Promise<void> {
  await databaseOf(env.DB)
    .update(user)
    .set({ status: suspended ? "suspended" : "active", updatedAt: new Date() })
    .where(and(eq(user.id, userId), ne(user.status, "removed")));
  if (suspended) await endStreams(env, userId);
  await pushRecordsOfOwner(env, userId);
}
