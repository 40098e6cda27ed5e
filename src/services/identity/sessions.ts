import type { Env } from "../../env.ts";
import { type User, findUser } from "../users/user-table.ts";
import { identityProvider } from "./provider.ts";

/** An access token for the user, as the embedded provider signs it. `expiresAt` in Unix seconds. */
export async function issueToken(env: Env, user: User, expiresAt: number): Promise<string> {
  const payload = { sub: user.id, email: user.email, name: user.name, iat: Math.floor(Date.now() / 1000), exp: expiresAt };
  const { token } = await identityProvider(env).api.signJWT({ body: { payload } });
  return token;
}

/** The user of the dashboard's session cookie, or null. */
export async function signedInUser(env: Env, headers: Headers): Promise<User | null> {
  const session = await signedInSession(env, headers);
  return session === null ? null : findUser(env.DB, session.userId);
}

/** The session of the dashboard's cookie, or null. */
export async function signedInSession(env: Env, headers: Headers): Promise<{ id: string; userId: string; expiresAt: Date } | null> {
  return (await identityProvider(env).api.getSession({ headers }))?.session ?? null;
}
