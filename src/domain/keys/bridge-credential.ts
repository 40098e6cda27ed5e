// What a session bridge shows of itself: credentials of one bridge each, and the tickets that the pool gives to it (docs/operate/security.md,
// "Bridge credentials"). Both are MACs under `BRIDGE_SECRET`, which only the worker knows; nothing of them is stored.
import { timingSafeEqual } from "node:crypto";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { BRIDGE_CREDENTIAL, DEFAULT_POOL } from "@gateway/protocol/internal-http.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import { toBase64Url } from "../base64.ts";
import { macOf } from "./key-tag.ts";
import { currentSecret, type VersionedSecrets } from "./secrets.ts";

/**
 * `brg_<bridge's id>.<kid>.<mac>`, under the current secret; for another pool than `default` `brg_<bridge's id>@<pool>.<kid>.<mac>`. The id
 * must be one that `BRIDGE_CREDENTIAL` accepts.
 */
export function makeBridgeCredential(secrets: VersionedSecrets, bridge: string, pool: string = DEFAULT_POOL): string {
  const credential = sign(secrets, pool === DEFAULT_POOL ? `brg_${bridge}` : `brg_${bridge}@${pool}`, "");
  if (!BRIDGE_CREDENTIAL.test(credential)) throw new Error("makeBridgeCredential wants an id of 1 to 100 letters, digits, _, . or -");
  return credential;
}

/**
 * The bridge and its pool that an `Authorization` header proves; null when this deployment did not make its credential, or has dropped the secret.
 * `current`: the credential is of the current secret.
 */
export function bridgeOfAuthorization(
  secrets: VersionedSecrets,
  header: string | null | undefined,
): { bridge: string; pool: string; current: boolean } | null {
  const credential = /^Bearer (\S+)$/i.exec(header ?? "")?.[1] ?? "";
  const { bridge, pool = DEFAULT_POOL } = BRIDGE_CREDENTIAL.exec(credential)?.groups ?? {};
  if (bridge === undefined || verify(secrets, credential, "") === null) return null;
  return { bridge, pool, current: credential === makeBridgeCredential(secrets, bridge, pool) };
}

/** The ticket in the form that this bridge alone can use: `<ticket>.<kid>.<mac>`. */
export function bindTicket(secrets: VersionedSecrets, ticket: string, bridge: string): string {
  return sign(secrets, ticket, bridge);
}

/** The ticket within a bound one; null when it was bound to another bridge. */
export function boundTicket(secrets: VersionedSecrets, bound: string, bridge: string): string | null {
  return verify(secrets, bound, bridge);
}

/** A ticket that shows which connection's object made it, so that a stranger's is turned away before it reaches any object. */
export function makeTicket(secrets: VersionedSecrets, random: string, connection: string): string {
  return sign(secrets, random, `connection:${connection}`);
}

/** Whether an object made it, and for a session of this connection; `unmarked`: it may be of an object of the release before. */
export function isTicketOf(secrets: VersionedSecrets, bound: string, bridge: string, connection: string): boolean | "unmarked" {
  const ticket = boundTicket(secrets, bound, bridge);
  if (ticket === null) return false;
  return ticket.includes(".") ? verify(secrets, ticket, `connection:${connection}`) !== null : "unmarked";
}

const EXIT_ADDRESS = "exit-address";
const EXIT_TICKET_MINUTES = 5;

/**
 * What a bridge shows when it asks the gateway through a proxy which address it comes from: whoever runs the proxy may see it, so it is good
 * for that alone, and for minutes.
 */
export function makeExitTicket(secrets: VersionedSecrets, now: number): string {
  return sign(secrets, `exit-${Math.floor(now / MINUTE_MS)}`, EXIT_ADDRESS);
}

export function isExitTicket(secrets: VersionedSecrets, header: string | null | undefined, now: number): boolean {
  const shown = /^Bearer (\S+)$/i.exec(header ?? "")?.[1] ?? "";
  const minute = /^exit-(\d{1,12})$/.exec(verify(secrets, shown, EXIT_ADDRESS) ?? "")?.[1];
  return minute !== undefined && Math.abs(now / MINUTE_MS - Number(minute)) <= EXIT_TICKET_MINUTES;
}

/** The text with `.<kid>.<mac>` behind it; the mac covers what is not written, too. */
function sign(secrets: VersionedSecrets, text: string, unwritten: string): string {
  const { kid, secret } = currentSecret(secrets);
  return `${text}.${kid}.${macText(secret, `${text}.${kid}`, unwritten)}`;
}

function verify(secrets: VersionedSecrets, signed: string, unwritten: string): string | null {
  const { text, kid, mac } = /^(?<text>.+)\.(?<kid>\d{1,3})\.(?<mac>[\w-]{43})$/.exec(signed)?.groups ?? {};
  if (text === undefined || kid === undefined || mac === undefined) return null;
  const secret = secrets.get(Number(kid));
  if (secret === undefined) return null;
  const expected = macText(secret, `${text}.${kid}`, unwritten);
  return timingSafeEqual(utf8ToBytes(mac), utf8ToBytes(expected)) ? text : null;
}

/** Neither part holds a blank, so no two pairs make one message. */
function macText(secret: Uint8Array, written: string, unwritten: string): string {
  return toBase64Url(macOf(secret, utf8ToBytes(`${written} ${unwritten}`)));
}
