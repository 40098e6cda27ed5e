import { databaseOf } from "../../db/database.ts";
import { proxy } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { sealProxyPassword } from "./address.ts";
import type { Proxy } from "./find.ts";

/** `host`: one that `readProxyHost` allows. */
export type NewProxy = Omit<Proxy, "id" | "passwordSealed" | "revision" | "createdAt"> & { password: string | null };

export async function createProxy(env: Env, { password, ...fields }: NewProxy, now: number): Promise<Proxy> {
  const id = crypto.randomUUID();
  const passwordSealed = password === null ? null : sealProxyPassword(env, id, password);
  const row = { id, ...fields, passwordSealed, revision: 1, createdAt: now };
  await databaseOf(env.DB).insert(proxy).values(row);
  return row;
}
