import { databaseOf } from "../../db/database.ts";
import { accountKey } from "../../db/schema.ts";
import { makeAccountKey } from "../../domain/account-key.ts";

/** Makes a Surface A key of the user. The key itself is in this answer and nowhere else. */
export async function createAccountKey(
  binding: D1Database,
  userId: string,
  name: string,
  now: number,
): Promise<{ id: string; key: string }> {
  const { key, prefix, hash } = makeAccountKey(crypto.getRandomValues(new Uint8Array(32)));
  const id = crypto.randomUUID();
  await databaseOf(binding).insert(accountKey).values({ id, userId, name, prefix, hash, createdAt: now });
  return { id, key };
}
