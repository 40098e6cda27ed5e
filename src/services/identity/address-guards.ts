// Calls the AddressGuards that protect client addresses, accounts and mailboxes (docs/operate/signing-in.md, "Signing in").
import { proxyDurable } from "itty-durable";
import {
  accountGuardName,
  type GuardVerdict,
  guardName,
  mailboxGuardName,
  mailServiceGuardName,
} from "@gateway/domain/admission/address-guard.ts";
import type { IdentityCount } from "@gateway/domain/admission/identity-counts.ts";
import { currentSecret } from "@gateway/domain/keys/secrets.ts";
import { settingsOf, type Env } from "../../env.ts";

type AddressGuardStub = {
  take(kinds: readonly IdentityCount[]): Promise<GuardVerdict>;
  attempt(place: string): Promise<ClaimVerdict>;
  succeeded(place: string, claimedAt: number): Promise<null>;
  takeOwnerMail(): Promise<GuardVerdict>;
  pauseOwnerMails(): Promise<boolean>;
  ownerMailsPausedSince(): Promise<number | null>;
};

export type ClaimVerdict = { blocked: false; claimedAt: number } | { blocked: true; retryAfterMs: number };

function guardNamed(env: Env, name: string): AddressGuardStub {
  const namespace = proxyDurable(env.ADDRESS_GUARD, { name: "ADDRESS_GUARD", parse: true }) as { get(name: string): AddressGuardStub };
  return namespace.get(name);
}

function nameSecret(env: Env): Uint8Array {
  return currentSecret(settingsOf(env).KEY_SECRET).secret;
}

export function countRequest(env: Env, address: string, kinds: readonly IdentityCount[]): Promise<GuardVerdict> {
  return guardNamed(env, guardName(nameSecret(env), address)).take(kinds);
}

type MailKind = "links" | "invitations" | "notices" | "invitationsSent";

/** Counts an email before the address is looked up. `invitationsSent` means that the account holder sent an invitation. */
export function countMail(env: Env, email: string, kind: MailKind): Promise<GuardVerdict> {
  return guardNamed(env, mailboxGuardName(nameSecret(env), email)).take([kind]);
}

/** Claims a sign-in attempt before the password is checked. */
export function claimSignIn(env: Env, email: string, address: string): Promise<ClaimVerdict> {
  const secret = nameSecret(env);
  return guardNamed(env, accountGuardName(secret, email)).attempt(guardName(secret, address));
}

/** Called after a successful attempt claimed at `claimedAt`, or a password set by an emailed link. The address is then familiar. */
export async function signedInFrom(env: Env, email: string, address: string, claimedAt: number): Promise<void> {
  const secret = nameSecret(env);
  await guardNamed(env, accountGuardName(secret, email)).succeeded(guardName(secret, address), claimedAt);
}

function mailService(env: Env): AddressGuardStub {
  return guardNamed(env, mailServiceGuardName(nameSecret(env)));
}

/** Claims a notice email to an owner. Identity emails need no claim, so they always go first. */
export function claimOwnerMail(env: Env): Promise<GuardVerdict> {
  return mailService(env).takeOwnerMail();
}

/** Call if the email service reports an exhausted quota. Returns false if emails to owners were already paused. */
export function pauseOwnerMails(env: Env): Promise<boolean> {
  return mailService(env).pauseOwnerMails();
}

/** When emails to owners were paused (Unix ms), or null if they are not paused. */
export function ownerMailsPausedSince(env: Env): Promise<number | null> {
  return mailService(env).ownerMailsPausedSince();
}
