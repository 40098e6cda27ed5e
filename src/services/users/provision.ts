// The user behind a valid access token; the first token creates the user (docs/internals/architecture.md, "Identity").
import { and, eq, ne } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { account, user } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import type { Bearer } from "../identity/verify-bearer.ts";
import { grantToUser } from "../shares/shares.ts";
import { grantBySettings, mayBecomeAdmin } from "./grant-by-settings.ts";
import { findUser, findUserByEmail, type User } from "./user-table.ts";

/** null: the token is valid but may not create a user, because its address belongs to somebody else. */
export async function provisionUser(env: Env, bearer: Bearer): Promise<User | null> {
  if (bearer.issuer === null) return findUser(env.DB, bearer.subject);
  const known = await linkedUser(env.DB, bearer.issuer, bearer.subject);
  if (known !== null) return mayBecomeAdmin(env, known) ? grantBySettings(env, known) : known;
  const user = await createOrLink(env.DB, bearer, bearer.issuer);
  return user === null ? null : grantBySettings(env, user);
}

async function linkedUser(binding: D1Database, issuer: string, subject: string): Promise<User | null> {
  const rows = await databaseOf(binding)
    .select({ user })
    .from(account)
    .innerJoin(user, eq(user.id, account.userId))
    .where(and(eq(account.providerId, issuer), eq(account.accountId, subject)))
    .limit(1);
  return rows[0]?.user ?? null;
}

/** By e-mail only if the issuer verified the address and the user confirmed it or was invited. A mere claim loses it. */
async function createOrLink(binding: D1Database, bearer: Bearer, issuer: string): Promise<User | null> {
  const claimed = bearer.email?.trim().toLowerCase() ?? placeholderAddress();
  const holder = await findUserByEmail(binding, claimed);
  if (holder?.emailVerified === true && !bearer.emailVerified) return null;
  const now = new Date();
  const isInvited = holder !== null && holder.invitedAt !== null && bearer.emailVerified;
  const isTheirs = holder !== null && (holder.emailVerified || isInvited);
  const id = isTheirs ? holder.id : crypto.randomUUID();
  const email = holder === null || bearer.emailVerified ? claimed : placeholderAddress();
  const database = databaseOf(binding);
  const newUser = { id, name: bearer.name ?? email, email, emailVerified: bearer.emailVerified, createdAt: now, updatedAt: now };
  const link = { id: crypto.randomUUID(), accountId: bearer.subject, providerId: issuer, userId: id, createdAt: now, updatedAt: now };
  // If two first requests run concurrently, the second finds the user that the first created.
  await retriedWrite(() =>
    database.batch([
      database
        .update(user)
        .set({ email: placeholderAddress(), updatedAt: now })
        .where(and(eq(user.email, bearer.emailVerified ? email : ""), eq(user.emailVerified, false), ne(user.id, id))),
      database
        .update(user)
        .set({ emailVerified: true, updatedAt: now })
        .where(and(eq(user.id, id), eq(user.emailVerified, false))),
      database.insert(user).values(newUser).onConflictDoNothing(),
      database.insert(account).values(link).onConflictDoNothing(),
      grantToUser(database, id),
    ]),
  );
  return linkedUser(binding, issuer, bearer.subject);
}

function placeholderAddress(): string {
  return `${crypto.randomUUID()}@unknown.invalid`;
}
