// Session bridge credentials and tickets, with MACs under `BRIDGE_SECRET`. Nothing is stored.
import { timingSafeEqual } from "node:crypto";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { BRIDGE_CREDENTIAL, DEFAULT_POOL } from "@gateway/protocol/internal-http.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import { toBase64Url } from "../base64.ts";
import { macOf } from "./located-key.ts";
import { currentSecret, type VersionedSecrets } from "./secrets.ts";

/** Returns `brg_<bridge id>[@<pool>].<kid>.<mac>`, with the pool only if it is not `default`. Throws for an invalid id. */
export function makeBridgeCredential(secrets: VersionedSecrets, bridge: string, pool: string = DEFAULT_POOL): string {
  const credential = sign(secrets, pool === DEFAULT_POOL ? `brg_${bridge}` : `brg_${bridge}@${pool}`, "");
  if (!BRIDGE_CREDENTIAL.test(credential)) throw new Error("makeBridgeCredential wants an id of 1 to 100 letters, digits, _, . or -");
  return credential;
}

/** Returns null if the header is not valid here. `current` means that the current secret signed the credential. */
export function bridgeOfAuthorization(
  secrets: VersionedSecrets,
  header: string | null | undefined,
): { bridge: string; pool: string; current: boolean } | null {
  const credential = /^Bearer (\S+)$/i.exec(header ?? "")?.[1] ?? "";
  const { bridge, pool = DEFAULT_POOL } = BRIDGE_CREDENTIAL.exec(credential)?.groups ?? {};
  if (bridge === undefined || verify(secrets, credential, "") === null) return null;
  return { bridge, pool, current: credential === makeBridgeCredential(secrets, bridge, pool) };
}

/** Binds a ticket to one bridge, as `<ticket>.<kid>.<mac>`. */
export function bindTicket(secrets: VersionedSecrets, ticket: string, bridge: string): string {
  return sign(secrets, ticket, bridge);
}

export function boundTicket(secrets: VersionedSecrets, bound: string, bridge: string): string | null {
  return verify(secrets, bound, bridge);
}

/** Makes a ticket that proves which connection's object issued it, so that forged ones are refused before they reach any object. */
export function makeTicket(secrets: VersionedSecrets, random: string, connection: string): string {
  return sign(secrets, random, `connection:${connection}`);
}

export function isTicketOf(secrets: VersionedSecrets, bound: string, bridge: string, connection: string): boolean {
  const ticket = boundTicket(secrets, bound, bridge);
  return ticket !== null && verify(secrets, ticket, `connection:${connection}`) !== null;
}

const EXIT_ADDRESS = "exit-address";
const EXIT_TICKET_MINUTES = 5;

/** The ticket can only look up the exit address and expires after a few minutes, because the proxy's operator may see it. */
export function makeExitTicket(secrets: VersionedSecrets, now: number): string {
  return sign(secrets, `exit-${Math.floor(now / MINUTE_MS)}`, EXIT_ADDRESS);
}

export function isExitTicket(secrets: VersionedSecrets, header: string | null | undefined, now: number): boolean {
  const shown = /^Bearer (\S+)$/i.exec(header ?? "")?.[1] ?? "";
  const minute = /^exit-(\d{1,12})$/.exec(verify(secrets, shown, EXIT_ADDRESS) ?? "")?.[1];
  return minute !== undefined && Math.abs(now / MINUTE_MS - Number(minute)) <= EXIT_TICKET_MINUTES;
}

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

/** Neither part may contain a space, so that different pairs never produce the same message. */
function macText(secret: Uint8Array, written: string, unwritten: string): string {
  return toBase64Url(macOf(secret, utf8ToBytes(`${written} ${unwritten}`)));
}
