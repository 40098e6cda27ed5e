// Blocks client addresses that try many invalid keys (docs/internals/admission.md, "Invalid keys").
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { LIMITS } from "../limits.ts";

/** Times are in Unix ms. `failures` contains at most 20 times, oldest first. */
export type GuardState = { failures: number[]; blockedUntil: number };

export type GuardVerdict = { blocked: false } | { blocked: true; retryAfterMs: number };

/** The 20th failure within the window starts the block, but still returns a 401. Failures during a block do not extend it. */
export function countFailure(state: GuardState, now: number): { state: GuardState; verdict: GuardVerdict } {
  const { failures: maxFailures, windowMs, blockMs } = LIMITS.invalidKeys;
  const blockedForMs = state.blockedUntil - now;
  // Ignores a longer block, because it was stored before the clock was set back.
  if (blockedForMs > 0 && blockedForMs <= blockMs) return { state, verdict: { blocked: true, retryAfterMs: blockedForMs } };
  const failures = [...state.failures.filter((time) => time <= now && now - time < windowMs), now];
  const next = failures.length >= maxFailures ? { failures: [], blockedUntil: now + blockMs } : { failures, blockedUntil: 0 };
  return { state: next, verdict: { blocked: false } };
}

export function expiresAt(state: GuardState): number {
  const last = state.failures.at(-1) ?? 0;
  return Math.max(state.blockedUntil, last + LIMITS.invalidKeys.windowMs);
}

/** IPv6 addresses share a guard per /64. Only a keyed hash of the address is stored. */
export function guardName(secret: Uint8Array, address: string): string {
  return keyedName(secret, subnetOf(address));
}

/** The guard for sign-ins to one account. It works the same whether or not the account exists. */
export function accountGuardName(secret: Uint8Array, email: string): string {
  return keyedName(secret, `account\0${email.trim().toLowerCase()}`);
}

/** The guard for emails to one mailbox. All aliases of the mailbox share it. */
export function mailboxGuardName(secret: Uint8Array, email: string): string {
  return keyedName(secret, `mailbox\0${mailboxOf(email)}`);
}

/** The guard for the email service, shared by all of the deployment's emails. */
export function mailServiceGuardName(secret: Uint8Array): string {
  return keyedName(secret, "mail service");
}

function mailboxOf(email: string): string {
  const text = email.trim().toLowerCase();
  const at = text.lastIndexOf("@");
  const [name = ""] = text.slice(0, at).split("+");
  const domain = text.slice(at + 1);
  const isGmail = domain === "gmail.com" || domain === "googlemail.com";
  return isGmail ? `${name.replaceAll(".", "")}@gmail.com` : `${name}@${domain}`;
}

function keyedName(secret: Uint8Array, text: string): string {
  return bytesToHex(hmac(sha256, secret, utf8ToBytes(text))).slice(0, 32);
}

function subnetOf(address: string): string {
  if (!address.includes(":")) return address;
  const bare = address.split("%")[0] ?? address;
  if (bare.includes(".")) return bare.slice(bare.lastIndexOf(":") + 1);
  const [head = "", tail] = bare.toLowerCase().split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const middle = tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0");
  return [...left, ...middle, ...right]
    .slice(0, 4)
    .map((part) => part.replace(/^0+(?=.)/, ""))
    .join(":");
}
