import { databaseOf } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { subscription } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { oweRecords, pushRecordsOfOwner } from "../connections/pending-records.ts";
import type { Subscription } from "./subscription.ts";

export type SubscriptionTerms = Pick<Subscription, "plan" | "status" | "maxInstances" | "currentPeriodEnd">;

/** Once this returns, every connection of the account applies the subscription. */
export async function setSubscription(env: Env, userId: string, terms: SubscriptionTerms, now: number): Promise<void> {
  const database = databaseOf(env.DB);
  await retriedWrite(() =>
    database.batch([
      database
        .insert(subscription)
        .values({ userId, ...terms, createdAt: now, updatedAt: now })
        .onConflictDoUpdate({ target: subscription.userId, set: { ...terms, updatedAt: now } }),
      oweRecords(database, userId, now),
    ]),
  );
  await pushRecordsOfOwner(env, userId);
}
