import type { Env } from "../../env.ts";
import { findUser, type User } from "../users/find.ts";
import { identityProvider } from "./provider.ts";

/** The user of the dashboard's session cookie, or null. */
export async function signedInUser(env: Env, headers: Headers): Promise<User | null> {
  const session = await identityProvider(env).api.getSession({ headers });
  return session === null ? null : findUser(env.DB, session.user.id);
}
