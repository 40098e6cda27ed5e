// The proxy of a connection's traffic to the network. The password is stored encrypted; the object gets the whole address.
import { type Env, settingsOf } from "../../env.ts";
import { openColumn, sealColumn, type SealedFor } from "../secrets/sealed-columns.ts";
import type { Proxy } from "./find.ts";

/** An address that never connects, so that nothing bypasses a chosen proxy that was deleted. */
export const MISSING_PROXY = "proxy:gone";

/** What the password of a proxy is sealed for. */
export function proxyPassword(id: string): SealedFor {
  return { owner: id, context: "proxy password" };
}

/** The value of `password_sealed`. */
export function sealProxyPassword(env: Env, id: string, password: string): string {
  return sealColumn(settingsOf(env).STATE_SECRET, proxyPassword(id), password);
}

/** The address without credentials: what says where it leads. */
export function placeOf({ protocol, host, port }: Pick<Proxy, "protocol" | "host" | "port">): string {
  return `${protocol}://${host}:${port}`;
}

/** The whole address, with credentials: never in an answer or a log. */
export function addressOf(env: Env, { id, protocol, host, port, username, passwordSealed }: Proxy): string {
  const password = passwordSealed === null ? "" : openColumn(settingsOf(env).STATE_SECRET, proxyPassword(id), passwordSealed);
  const credentials = username === null ? "" : `${encodeURIComponent(username)}:${encodeURIComponent(password)}@`;
  return `${protocol}://${credentials}${host}:${port}`;
}
