// Emailed links for setting a password. They also confirm sign-ups, so control of the mailbox means ownership of the account.
import { and, eq, gt, sql } from "drizzle-orm";
import { PASSWORD_LINK_LIFE_MS, passwordIdentifier, passwordLink, passwordToken } from "@gateway/domain/keys/password-link.ts";
import { databaseOf } from "../../db/database.ts";
import { account, verification } from "../../db/schema.ts";
import { settingsOf, type Env } from "../../env.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import { accountGuardStub } from "../accounts/guard.ts";
import { keptIfRefused } from "../mail/owner-notices.ts";
import { sendMail } from "../mail/send.ts";
import { retried } from "../object-calls.ts";
import { addUnconfirmedUser, findUser, findUserByEmail, rename, type User } from "../users/user-table.ts";
import { confirmationMail, invitationMail, resetMail } from "./mails.ts";
import { identityProvider, withProvider } from "./provider.ts";

/** Longer than for other links, because invited people are not waiting for the email. */
const INVITATION_LIFE_MS = 7 * DAY_MS;

/** Does nothing for an unknown address. `name` is null for a forgotten password. Throws if the email is refused. The guard retries. */
export async function sendPasswordLink(env: Env, email: string, name: string | null, now: number): Promise<void> {
  const holder = name === null ? await findUserByEmail(env.DB, email) : await addUnconfirmedUser(env.DB, email, name);
  if (holder === null) return;
  const { id } = holder;
  await keptIfRefused(mailLink(env, holder, now), () => retried(() => accountGuardStub(env, id).oweMail("link", id, Date.now())));
}

/** Does nothing if the person has requested another link since, or has chosen a password. */
export async function sendOwedLink(env: Env, userId: string, askedAt: number, now: number): Promise<void> {
  const holder = await findUser(env.DB, userId);
  if (holder !== null && !(await hasMovedOn(env.DB, userId, new Date(askedAt)))) await mailLink(env, holder, now);
}

async function hasMovedOn(binding: D1Database, userId: string, since: Date): Promise<boolean> {
  const database = databaseOf(binding);
  const [links, passwords] = await database.batch([
    database
      .select({ one: sql`1` })
      .from(verification)
      .where(and(eq(verification.value, userId), gt(verification.createdAt, since)))
      .limit(1),
    database
      .select({ one: sql`1` })
      .from(account)
      .where(and(eq(account.userId, userId), gt(account.updatedAt, since)))
      .limit(1),
  ]);
  return links.length + passwords.length > 0;
}

async function mailLink(env: Env, holder: User, now: number): Promise<void> {
  const mail = holder.emailVerified ? resetMail : confirmationMail;
  await sendMail(env, mail(holder.email, settingsOf(env).APP_URL, await newLink(env, holder, now + PASSWORD_LINK_LIFE_MS)));
}

export async function sendInvitation(env: Env, invited: User, now: number): Promise<void> {
  const { APP_URL, IDENTITY_ISSUER } = settingsOf(env);
  const link = IDENTITY_ISSUER === "" ? await newLink(env, invited, now + INVITATION_LIFE_MS) : null;
  await sendMail(env, invitationMail(invited.email, APP_URL, link));
}

async function newLink(env: Env, { id }: User, expiresAt: number): Promise<string> {
  const { internalAdapter } = await (await identityProvider(env)).$context;
  const token = passwordToken(crypto.getRandomValues(new Uint8Array(24)));
  await internalAdapter.createVerificationValue({ identifier: passwordIdentifier(token), value: id, expiresAt: new Date(expiresAt) });
  return passwordLink(settingsOf(env).APP_URL, token);
}

export async function holderOfLink(env: Env, token: string, now: number): Promise<User | null> {
  const { internalAdapter } = await (await identityProvider(env)).$context;
  const found = await internalAdapter.findVerificationValue(passwordIdentifier(token));
  return found === null || found.expiresAt.getTime() <= now ? null : findUser(env.DB, found.value);
}

export type ChosenPassword = { ok: true; holder: User } | { ok: false; reason: "link_invalid" | "too_short" | "too_long" };

/** Uses up the link and ends the holder's sessions. `name` is stored if this confirms the address. */
export async function choosePassword(
  env: Env,
  chosen: { token: string; password: string; name: string | null },
  now: number,
): Promise<ChosenPassword> {
  const { minPasswordLength, maxPasswordLength } = (await (await identityProvider(env)).$context).password.config;
  if (chosen.password.length < minPasswordLength) return { ok: false, reason: "too_short" };
  if (chosen.password.length > maxPasswordLength) return { ok: false, reason: "too_long" };
  const holder = await holderOfLink(env, chosen.token, now);
  if (holder === null) return { ok: false, reason: "link_invalid" };
  // Renames before the link is consumed, so that the link still works if renaming fails.
  if (!holder.emailVerified && chosen.name !== null) await rename(env.DB, holder.id, chosen.name);
  try {
    await withProvider(env, ({ api }) => api.resetPassword({ body: { token: chosen.token, newPassword: chosen.password } }));
  } catch (error) {
    if (isInvalidToken(error)) return { ok: false, reason: "link_invalid" };
    throw error;
  }
  return { ok: true, holder };
}

function isInvalidToken(error: unknown): boolean {
  const body = typeof error === "object" && error !== null && "body" in error ? error.body : null;
  return typeof body === "object" && body !== null && "code" in body && body.code === "INVALID_TOKEN";
}

export async function setPassword(env: Env, userId: string, password: string): Promise<void> {
  const { internalAdapter, password: passwords } = await (await identityProvider(env)).$context;
  const accounts = await internalAdapter.findAccounts(userId);
  const current = accounts.find((account) => account.providerId === "credential");
  if (current === undefined) {
    await internalAdapter.linkAccount({ userId, providerId: "credential", accountId: userId, password: await passwords.hash(password) });
    return;
  }
  const same = typeof current.password === "string" && (await passwords.verify({ hash: current.password, password }));
  if (!same) await internalAdapter.updatePassword(userId, await passwords.hash(password));
}
