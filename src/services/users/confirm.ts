import { and, eq, ne } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { account, accountKey, user, verification } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { endStreams } from "../accounts/streams.ts";
import { grantToUser } from "../shares/shares.ts";
import { grantBySettings } from "./grant-by-settings.ts";
import { findUser } from "./user-table.ts";

/** Existing keys and sign-ins may belong to someone else, so they are deleted; other links to the mailbox end. */
export async function passwordWasSet(env: Env, userId: string): Promise<void> {
  const database = databaseOf(env.DB);
  const holder = await findUser(env.DB, userId);
  await retriedWrite(() => database.delete(verification).where(eq(verification.value, userId)));
  if (holder === null || holder.emailVerified) return;
  await retriedWrite(() =>
    database.batch([
      database.delete(account).where(and(eq(account.userId, userId), ne(account.providerId, "credential"))),
      database.delete(accountKey).where(eq(accountKey.userId, userId)),
      database.update(user).set({ emailVerified: true, updatedAt: new Date() }).where(eq(user.id, userId)),
      grantToUser(database, userId),
    ]),
  );
  await endStreams(env, userId);
  await grantBySettings(env, { ...holder, emailVerified: true });
}
