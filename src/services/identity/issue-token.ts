import type { Env } from "../../env.ts";
import type { User } from "../users/find.ts";
import { identityProvider } from "./provider.ts";

/** An access token for the user, as the embedded provider signs it. `expiresAt` in Unix seconds. */
export async function issueToken(env: Env, user: User, expiresAt: number): Promise<string> {
  const payload = { sub: user.id, email: user.email, name: user.name, iat: Math.floor(Date.now() / 1000), exp: expiresAt };
  const { token } = await identityProvider(env).api.signJWT({ body: { payload } });
  return token;
}
