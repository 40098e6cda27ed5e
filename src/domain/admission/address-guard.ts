// Invalid keys per address (docs/internals/admission.md, "Invalid keys"): 20 in 10 minutes, then 15 minutes of 429.
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { LIMITS } from "../limits.ts";

/** Unix ms throughout. `failures` holds at most 20 times, oldest first. */
export type GuardState = { failures: number[]; blockedUntil: number };

/** `blocked`: answer 429 with `retryAfterMs`; otherwise 401. */
export type GuardVerdict = { blocked: false } | { blocked: true; retryAfterMs: number };

/**
 * Counts one failure. The 20th within the window starts the block and is itself still answered 401; failures during a block
 * do not lengthen it.
 */
export function countFailure(state: GuardState, now: number): { state: GuardState; verdict: GuardVerdict } {
  const { failures: maxFailures, windowMs, blockMs } = LIMITS.invalidKeys;
  const blockedForMs = state.blockedUntil - now;
  // Later times than these were recorded before the clock was set back: they no longer count.
  if (blockedForMs > 0 && blockedForMs <= blockMs) return { state, verdict: { blocked: true, retryAfterMs: blockedForMs } };
  const failures = [...state.failures.filter((time) => time <= now && now - time < windowMs), now];
  const next = failures.length >= maxFailures ? { failures: [], blockedUntil: now + blockMs } : { failures, blockedUntil: 0 };
  return { state: next, verdict: { blocked: false } };
}

/** When the state is without effect and may be dropped (ms). */
export function expiresAt(state: GuardState): number {
  const last = state.failures.at(-1) ?? 0;
  return Math.max(state.blockedUntil, last + LIMITS.invalidKeys.windowMs);
}

/** The name of an address's guard: an IPv6 address counts by its /64, and only a keyed hash of it is stored. */
export function guardName(secret: Uint8Array, address: string): string {
  return keyedName(secret, subnetOf(address));
}

/** The name of the guard of an account's sign-ins, whether or not there is such an account. */
export function accountGuardName(secret: Uint8Array, email: string): string {
  return keyedName(secret, `account\0${email.trim().toLowerCase()}`);
}

/** The name of the guard of a mailbox: all addresses that are known to end in it have one. */
export function mailboxGuardName(secret: Uint8Array, email: string): string {
  return keyedName(secret, `mailbox\0${mailboxOf(email)}`);
}

/** `Ana+news@Example.com` is Ana's mailbox, and Gmail takes dots for nothing. */
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
