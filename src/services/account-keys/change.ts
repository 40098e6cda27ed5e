import { and, eq, isNull, lte, or } from "drizzle-orm";
import { LruMap } from "@gateway/domain/lru-map.ts";
import type { Scope } from "@gateway/domain/keys/scopes.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import type { Env } from "../../env.ts";
import { databaseOf } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { accountKey } from "../../db/schema.ts";
import { endStreams } from "../accounts/guard.ts";
import type { AccountKey } from "./find.ts";

/** Absent fields stay unchanged. Null `scopes` means all of the user's scopes except `admin`. Null `allowedIps` means any address. */
export type AccountKeyChange = { name?: string; scopes?: Scope[] | null; allowedIps?: string[] | null };

/** The change is in effect once this returns. Ends the key's streams, so that allowed clients reconnect. Null for an unknown key. */
export async function changeAccountKey(env: Env, userId: string, id: string, change: AccountKeyChange): Promise<AccountKey | null> {
  const [row] = await retriedWrite(() =>
    databaseOf(env.DB)
      .update(accountKey)
      .set(change)
      .where(and(eq(accountKey.userId, userId), eq(accountKey.id, id)))
      .returning(),
  );
  if (row === undefined) return null;
  await endStreams(env, userId, { credential: `key:${id}` });
  return row;
}

const RECORD_INTERVAL_MS = MINUTE_MS;
/** Kept per isolate, so that a flood of refused calls does not reach D1. */
const recorded = new LruMap<number>(10_000);

/** Records a call from an address that the key does not allow, at most once a minute per key. */
export async function recordRefusedAddress(binding: D1Database, id: string, address: string, now: number): Promise<void> {
  if (now - (recorded.get(id) ?? 0) < RECORD_INTERVAL_MS) return;
  recorded.set(id, now);
  const older = or(isNull(accountKey.refusedAt), lte(accountKey.refusedAt, now - RECORD_INTERVAL_MS));
  await retriedWrite(() =>
    databaseOf(binding)
      .update(accountKey)
      .set({ refusedIp: address, refusedAt: now })
      .where(and(eq(accountKey.id, id), older)),
  );
}
