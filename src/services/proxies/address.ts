// Proxy addresses. D1 stores the password encrypted, but objects receive the whole address.
import { type Env, settingsOf } from "../../env.ts";
import { openColumn, sealColumn, type SealedFor } from "../secrets/vault.ts";
import type { Proxy } from "./find.ts";

/** An address that never connects, so that a deleted proxy is not bypassed. */
export const MISSING_PROXY = "proxy:gone";

export function proxyPassword(id: string): SealedFor {
  return { owner: id, context: "proxy password" };
}

export function sealProxyPassword(env: Env, id: string, password: string): string {
  return sealColumn(settingsOf(env).STATE_SECRET, proxyPassword(id), password);
}

export function placeOf({ protocol, host, port }: Pick<Proxy, "protocol" | "host" | "port">): string {
  return `${protocol}://${host}:${port}`;
}

/** Includes the credentials, so never put it into a response or a log. */
export function addressOf(env: Env, { id, protocol, host, port, username, passwordSealed }: Proxy): string {
  const password = passwordSealed === null ? "" : openColumn(settingsOf(env).STATE_SECRET, proxyPassword(id), passwordSealed);
  const credentials = username === null ? "" : `${encodeURIComponent(username)}:${encodeURIComponent(password)}@`;
  return `${protocol}://${credentials}${host}:${port}`;
}
