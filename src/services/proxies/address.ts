// The proxy of a connection's traffic to the network. The password is stored encrypted; the object gets the whole address.
import { eq } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { proxy } from "../../db/schema.ts";
import { type Env, settingsOf } from "../../env.ts";
import { openColumn, sealColumn, type SealedFor } from "../secrets/sealed-columns.ts";
import type { Proxy } from "./find.ts";

/** An address that never connects, so that nothing bypasses a chosen proxy that was deleted. */
export const MISSING_PROXY = "proxy:gone";

/** The address of a connection's proxy; null when it has none. An inactive proxy still serves the connections it has. */
export async function proxyAddress(env: Env, id: string | null): Promise<string | null> {
  if (id === null) return null;
  const row = (await databaseOf(env.DB).select().from(proxy).where(eq(proxy.id, id)).limit(1))[0];
  return row === undefined ? MISSING_PROXY : addressOf(env, row);
}

/** What the password of a proxy is sealed for. */
export function proxyPassword(id: string): SealedFor {
  return { owner: id, context: "proxy password" };
}

/** The value of `password_sealed`. */
export function sealProxyPassword(env: Env, id: string, password: string): string {
  return sealColumn(settingsOf(env).STATE_SECRET, proxyPassword(id), password);
}

function addressOf(env: Env, { id, protocol, host, port, username, passwordSealed }: Proxy): string {
  const password = passwordSealed === null ? "" : openColumn(settingsOf(env).STATE_SECRET, proxyPassword(id), passwordSealed);
  const credentials = username === null ? "" : `${encodeURIComponent(username)}:${encodeURIComponent(password)}@`;
  return `${protocol}://${credentials}${host}:${port}`;
}
