// Access token signing keys: how long a key signs, and how long it is accepted afterwards (docs/operate/secrets.md, "A new AUTH_SECRET").
import { eq } from "drizzle-orm";
import type { JWK } from "jose";
import { databaseOf } from "../../db/database.ts";
import { jwks } from "../../db/schema.ts";
import { currentSecret, IMPLIED_KID } from "@gateway/domain/keys/secrets.ts";
import { type Env, settingsOf } from "../../env.ts";
import { log } from "../../log.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";

export const SIGNING_MS = 30 * DAY_MS;
/** Longer than the lifetime of any token (a day in the sandbox). */
export const ACCEPTED_MS = DAY_MS + HOUR_MS;

const CACHE_MS = 300_000;
/** Minimum interval between re-reads of the keys caused by tokens with an unknown key id. */
const MIN_REREAD_INTERVAL_MS = 2_000;

type SigningKeyRow = typeof jwks.$inferSelect;
type SigningKey = Omit<SigningKeyRow, "expiresAt" | "alg" | "crv"> & { expiresAt: Date; alg: "EdDSA"; crv: "Ed25519" };

type CachedKeys = { keys: JWK[]; readAt: number };
const cache = new WeakMap<D1Database, CachedKeys>();

/** The accepted public keys. They are read from D1, because a worker's request to its own zone is unreliable. */
export async function readSigningKeys(env: Env, keyId: string | null): Promise<JWK[]> {
  const now = Date.now();
  const known = cache.get(env.DB);
  if (known !== undefined) {
    const age = now - known.readAt;
    const hasIt = known.keys.some((key) => key.kid === keyId);
    if (age < (hasIt ? CACHE_MS : MIN_REREAD_INTERVAL_MS)) return known.keys;
  }
  const accepted = (await signingKeys(env)).filter(({ expiresAt }) => now < expiresAt.getTime() + ACCEPTED_MS);
  const keys = accepted.map((row): JWK => ({ ...(JSON.parse(row.publicKey) as JWK), kid: row.id, alg: row.alg }));
  cache.set(env.DB, { keys, readAt: now });
  return keys;
}

export async function signingKeys(env: Env): Promise<SigningKey[]> {
  const rows = await databaseOf(env.DB).select().from(jwks);
  return rows.map((row) => ({ ...row, expiresAt: new Date(endOf(env, row, Date.now())), alg: "EdDSA", crv: "Ed25519" }));
}

/** Deletes private keys that no longer sign, and keys that are no longer accepted. */
export async function retireSigningKeys(env: Env, now: number): Promise<void> {
  const database = databaseOf(env.DB);
  for (const row of await database.select().from(jwks)) {
    const end = endOf(env, row, now);
    const which = eq(jwks.id, row.id);
    if (now >= end + ACCEPTED_MS) await database.delete(jwks).where(which);
    else if (now >= end && row.privateKey !== "") {
      await database
        .update(jwks)
        .set({ expiresAt: new Date(end), privateKey: "" })
        .where(which);
      log("secrets.signing_key_retired", { key: row.id });
    }
  }
}

/** When a key stops signing (Unix ms). It stops earlier if AUTH_SECRET has a new current entry. */
function endOf(env: Env, { createdAt, expiresAt, privateKey }: SigningKeyRow, now: number): number {
  const { kid } = currentSecret(settingsOf(env).AUTH_SECRET);
  const end = expiresAt?.getTime() ?? createdAt.getTime() + SIGNING_MS;
  // The library compares with a time from before it read the keys. The end is therefore a minute earlier, in case the read is slow.
  return kidOf(privateKey) === kid ? end : Math.min(end, now - MINUTE_MS);
}

/** The library writes private keys as `"$ba$<kid>$<hex>"`. */
function kidOf(privateKey: string): number | null {
  if (privateKey === "") return null;
  const kid = /^"\$ba\$(\d+)\$/.exec(privateKey)?.[1];
  return kid === undefined ? IMPLIED_KID : Number(kid);
}
