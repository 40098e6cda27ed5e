// Links for setting a password, and their D1 rows. `npm run setup` uses them to create the first administrator.
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { toBase64Url } from "../base64.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";

export const PASSWORD_PAGE = "/set-password";
export const PASSWORD_LINK_LIFE_MS = HOUR_MS;

export function passwordToken(random: Uint8Array): string {
  return Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function passwordLink(appUrl: string, token: string): string {
  return `${appUrl}${PASSWORD_PAGE}?token=${token}`;
}

export function passwordIdentifier(token: string): string {
  return `reset-password:${token}`;
}

/** The hash that the library stores instead of the token, so that a leaked database has no usable links. */
export function storedPasswordIdentifier(token: string): string {
  return toBase64Url(sha256(utf8ToBytes(passwordIdentifier(token))));
}
