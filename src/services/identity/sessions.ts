import { and, desc, eq, gt, isNull, ne, type SQL } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { session } from "../../db/schema.ts";
import { settingsOf, type Env } from "../../env.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import { endStreams } from "../accounts/guard.ts";
import { type User, findUser } from "../users/user-table.ts";
import { withProvider } from "./provider.ts";

/** Issues a token signed by the embedded provider. `expiresAt` is in Unix seconds. */
export async function issueToken(env: Env, user: User, expiresAt: number): Promise<string> {
  const payload = { sub: user.id, email: user.email, name: user.name, iat: Math.floor(Date.now() / 1000), exp: expiresAt };
  const { token } = await withProvider(env, ({ api }) => api.signJWT({ body: { payload } }));
  return token;
}

export async function signedInUser(env: Env, headers: Headers): Promise<User | null> {
  const session = await signedInSession(env, headers);
  return session === null ? null : findUser(env.DB, session.userId);
}

export type SignedIn = { id: string; userId: string; expiresAt: Date; updatedAt: Date };

/** Also returns null for a session started by an issuer other than the current one. */
export async function signedInSession(env: Env, headers: Headers): Promise<SignedIn | null> {
  const session = (await withProvider(env, ({ api }) => api.getSession({ headers })))?.session ?? null;
  return session !== null && (session.issuer ?? "") === settingsOf(env).IDENTITY_ISSUER ? session : null;
}

export async function openOutsideSession(env: Env, userId: string, headers: Headers): Promise<readonly string[]> {
  const body = { userId, issuer: settingsOf(env).IDENTITY_ISSUER };
  const opened = await withProvider(env, ({ api }) => api.openSession({ body, headers, returnHeaders: true }));
  return opened.headers.getSetCookie();
}

/** Signs in a user who has just chosen this password. Returns the cookies, or none if the account may not sign in. */
export async function openPasswordSession(
  env: Env,
  credential: { email: string; password: string },
  headers: Headers,
): Promise<readonly string[]> {
  // Passes only the headers that identify the browser, because the library would check the other headers of a form post.
  const kept = new Headers();
  for (const name of ["user-agent", "cf-connecting-ip"]) {
    const value = headers.get(name);
    if (value !== null) kept.set(name, value);
  }
  const opened = await withProvider(env, ({ api }) => api.signInEmail({ body: credential, headers: kept, returnHeaders: true }));
  return opened.headers.getSetCookie();
}

export async function endSignedInSession(env: Env, headers: Headers): Promise<readonly string[]> {
  const session = await signedInSession(env, headers);
  const ended = await withProvider(env, ({ api }) => api.signOut({ headers, returnHeaders: true }));
  if (session !== null) await endStreams(env, session.userId, { credential: `session:${session.id}` });
  return ended.headers.getSetCookie();
}

export type Session = { id: string; userAgent: string; createdAt: Date; lastUsedAt: Date; expiresAt: Date };

export async function listSessions(env: Env, userId: string, now: number): Promise<Session[]> {
  const rows = await databaseOf(env.DB)
    .select()
    .from(session)
    .where(counts(env, userId, now))
    .orderBy(desc(session.updatedAt), desc(session.id));
  return rows.map(({ id, userAgent, createdAt, updatedAt, expiresAt }) => ({
    id,
    userAgent: userAgent ?? "",
    createdAt,
    lastUsedAt: updatedAt,
    expiresAt,
  }));
}

function counts(env: Env, userId: string, now: number): SQL | undefined {
  const { IDENTITY_ISSUER: issuer } = settingsOf(env);
  const begun = issuer === "" ? isNull(session.issuer) : eq(session.issuer, issuer);
  return and(eq(session.userId, userId), gt(session.expiresAt, new Date(now)), begun);
}

/** Signs the session's browser out at once and ends its streams. Returns whether the session existed. */
export async function endSession(env: Env, userId: string, id: string): Promise<boolean> {
  return (await end(env, userId, eq(session.id, id))) > 0;
}

export function endOtherSessions(env: Env, userId: string, kept: string | null): Promise<number> {
  return end(env, userId, kept === null ? undefined : ne(session.id, kept));
}

async function end(env: Env, userId: string, which: SQL | undefined): Promise<number> {
  const ended = await databaseOf(env.DB)
    .delete(session)
    .where(and(eq(session.userId, userId), which))
    .returning({ id: session.id });
  for (const { id } of ended) await endStreams(env, userId, { credential: `session:${id}` });
  return ended.length;
}

/** Minimum interval between writes of `updatedAt` per session. */
const USE_INTERVAL_MS = 10 * MINUTE_MS;

export async function recordSessionUse(env: Env, { id, updatedAt }: SignedIn, now: number): Promise<void> {
  if (now - updatedAt.getTime() < USE_INTERVAL_MS) return;
  await retriedWrite(() =>
    databaseOf(env.DB)
      .update(session)
      .set({ updatedAt: new Date(now) })
      .where(eq(session.id, id)),
  );
}
