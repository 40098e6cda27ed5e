// Dashboard authentication: a session cookie or an access token (docs/internals/architecture.md, "Identity").
import { settingsOf } from "#root/src/env.ts";
import { type AppContext, noteLater } from "#root/src/http/app-env.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { recordSessionUse, signedInSession } from "#root/src/services/identity/sessions.ts";
import { verifyBearer } from "#root/src/services/identity/verify-bearer.ts";
import { findUser, recordSeen, type User } from "#root/src/services/users/user-table.ts";
import { provisionUser } from "#root/src/services/users/provision.ts";

/** Fails with `unauthorized`, `account_suspended`, `forbidden` (cross-site cookie) or `unavailable` (no keys to verify with). */
export async function authenticate(c: AppContext): Promise<Outcome<User>> {
  const user = await identify(c);
  if (user === "unavailable" || user === "forbidden") return fail(user);
  if (user === null) return fail("unauthorized");
  if (user.status === "suspended") return fail("account_suspended");
  c.get("facts").user = user.id;
  noteLater(c, recordSeen(c.env.DB, user, Date.now()));
  return { ok: true, value: user };
}

async function identify(c: AppContext): Promise<User | null | "unavailable" | "forbidden"> {
  const authorization = c.req.header("authorization");
  if (authorization !== undefined) {
    const token = /^Bearer (\S+)$/i.exec(authorization.trim())?.[1];
    return token === undefined ? null : bearerUser(c, token);
  }
  if (c.req.header("cookie") === undefined) return null;
  if (!isFromHere(c)) return "forbidden";
  const session = await signedInSession(c.env, c.req.raw.headers);
  if (session === null) return null;
  noteLater(c, recordSessionUse(c.env, session, Date.now()));
  return findUser(c.env.DB, session.userId);
}

async function bearerUser(c: AppContext, token: string): Promise<User | null | "unavailable"> {
  const bearer = await verifyBearer(c.env, token).catch(() => "unavailable" as const);
  if (bearer === "unavailable") return bearer;
  return bearer === null ? null : provisionUser(c.env, bearer);
}

/** Null if the caller uses a bearer token. */
export async function currentSession(c: AppContext): Promise<string | null> {
  if (c.req.header("authorization") !== undefined) return null;
  return (await signedInSession(c.env, c.req.raw.headers))?.id ?? null;
}

/** CSRF check: browsers send the cookie with requests from any site, but `Origin` shows which site it was. */
export function isFromHere(c: AppContext): boolean {
  if (c.req.method === "GET" || c.req.method === "HEAD") return true;
  const origin = c.req.header("origin");
  if (origin === undefined) return false;
  return isOurOrigin(c, origin);
}

export function isOurOrigin(c: AppContext, origin: string): boolean {
  return origin === new URL(c.req.url).origin || origin === new URL(settingsOf(c.env).APP_URL).origin;
}
