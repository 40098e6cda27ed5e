// Proxy addresses. D1 stores the password encrypted; objects receive the whole address.
import { type Env, settingsOf } from "../../env.ts";
import { openColumn, sealColumn, type SealedFor } from "../secrets/sealed-columns.ts";
import type { Proxy } from "./find.ts";

/** Never connects, so that a deleted proxy is not bypassed. */
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

/** With credentials: never in an answer or a log. */
export function addressOf(env: Env, { id, protocol, host, port, username, passwordSealed }: Proxy): string {
  const password = passwordSealed === null ? "" : openColumn(settingsOf(env).STATE_SECRET, proxyPassword(id), passwordSealed);
  const credentials = username === null ? "" : `${encodeURIComponent(username)}:${encodeURIComponent(password)}@`;
  return `${protocol}://${credentials}${host}:${port}`;
}
