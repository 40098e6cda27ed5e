// The public halves of the embedded provider's keys, read from D1 instead of over HTTP: a worker's request to its
// own zone is fragile.
import type { JWK } from "jose";
import { databaseOf } from "../../db/database.ts";
import { jwks } from "../../db/schema.ts";

const CACHE_MS = 300_000;
/** An unknown key id makes the keys be read again, at most this often. */
const MIN_REREAD_INTERVAL_MS = 2_000;

type CachedKeys = { keys: JWK[]; readAt: number };
const cache = new WeakMap<D1Database, CachedKeys>();

export async function readSigningKeys(binding: D1Database, keyId: string | null): Promise<JWK[]> {
  const now = Date.now();
  const known = cache.get(binding);
  if (known !== undefined) {
    const age = now - known.readAt;
    const hasIt = known.keys.some((key) => key.kid === keyId);
    if (age >= 0 && age < (hasIt ? CACHE_MS : MIN_REREAD_INTERVAL_MS)) return known.keys;
  }
  const rows = await databaseOf(binding).select({ id: jwks.id, publicKey: jwks.publicKey, alg: jwks.alg }).from(jwks);
  const keys = rows.map((row): JWK => ({ ...(JSON.parse(row.publicKey) as JWK), kid: row.id, alg: row.alg ?? "EdDSA" }));
  cache.set(binding, { keys, readAt: now });
  return keys;
}
