import { and, eq, isNull, lte, or } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { accountKey } from "../../db/schema.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";
import type { CallingKey } from "../callers/identify.ts";

/** `last_used_at` is written at most this often per key: all customers' calls together share one database. */
const WRITE_INTERVAL_MS = HOUR_MS;

export async function recordKeyUse(binding: D1Database, { id, lastUsedAt }: CallingKey, now: number): Promise<void> {
  if (now - (lastUsedAt ?? 0) < WRITE_INTERVAL_MS) return;
  const older = or(isNull(accountKey.lastUsedAt), lte(accountKey.lastUsedAt, now - WRITE_INTERVAL_MS));
  await databaseOf(binding)
    .update(accountKey)
    .set({ lastUsedAt: now })
    .where(and(eq(accountKey.id, id), older));
}
