// The proxy of a connection's traffic to the network. The password is stored encrypted; the object gets the whole address.
import { eq } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { proxy } from "../../db/schema.ts";
import { fromBase64, toBase64 } from "../../domain/base64.ts";
import { currentSecret, secretText } from "../../domain/keys/secrets.ts";
import { type Env, settingsOf } from "../../env.ts";
import { Vault } from "../secrets/vault.ts";
import type { Proxy } from "./find.ts";

const CONTEXT = "proxy password";
/** An address that never connects, so that nothing bypasses a chosen proxy that was deleted. */
const MISSING_PROXY = "proxy:gone";

/** The address of a connection's proxy; null when it has none. An inactive proxy still serves the connections it has. */
export async function proxyAddress(env: Env, id: string | null): Promise<string | null> {
  if (id === null) return null;
  const row = (await databaseOf(env.DB).select().from(proxy).where(eq(proxy.id, id)).limit(1))[0];
  return row === undefined ? MISSING_PROXY : addressOf(env, row);
}

/** The value of `password_sealed`. */
export async function sealProxyPassword(env: Env, id: string, password: string): Promise<string> {
  const sealed = await vaultOf(env, id).seal(password, CONTEXT);
  return toBase64(sealed);
}

async function addressOf(env: Env, { id, protocol, host, port, username, passwordSealed }: Proxy): Promise<string> {
  const password = passwordSealed === null ? "" : await openPassword(env, id, passwordSealed);
  const credentials = username === null ? "" : `${encodeURIComponent(username)}:${encodeURIComponent(password)}@`;
  return `${protocol}://${credentials}${host}:${port}`;
}

async function openPassword(env: Env, id: string, sealed: string): Promise<string> {
  return vaultOf(env, id).open(fromBase64(sealed), CONTEXT);
}

function vaultOf(env: Env, id: string): Vault {
  return new Vault(secretText(currentSecret(settingsOf(env).STATE_SECRET).secret), id);
}
