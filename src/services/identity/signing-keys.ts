// The public halves of the embedded provider's keys, read from D1 rather than fetched from ourselves: a worker's request to
// its own zone is fragile.
import type { JWK } from "jose";
import { databaseOf } from "../../db/database.ts";
import { jwks } from "../../db/schema.ts";

const KEEP_MS = 300_000;
/** An unknown key id has the keys read again, but not more often than this. */
const LOOK_AGAIN_MS = 2_000;

type Kept = { keys: JWK[]; readAt: number };
const kept = new WeakMap<D1Database, Kept>();

export async function readSigningKeys(binding: D1Database, wanted: string | null): Promise<JWK[]> {
  const now = Date.now();
  const known = kept.get(binding);
  if (known !== undefined) {
    const age = now - known.readAt;
    const hasIt = known.keys.some((key) => key.kid === wanted);
    if (age < (hasIt ? KEEP_MS : LOOK_AGAIN_MS)) return known.keys;
  }
  const rows = await databaseOf(binding).select({ id: jwks.id, publicKey: jwks.publicKey, alg: jwks.alg }).from(jwks);
  const keys = rows.map((row): JWK => ({ ...(JSON.parse(row.publicKey) as JWK), kid: row.id, alg: row.alg ?? "EdDSA" }));
  kept.set(binding, { keys, readAt: now });
  return keys;
}
