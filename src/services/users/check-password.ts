import type { Env } from "../../env.ts";
import { identityProvider } from "../identity/provider.ts";

/** `none`: the user has no password here, because another issuer signs them in. */
export type PasswordCheck = "right" | "wrong" | "none";

export async function checkPassword(env: Env, userId: string, password: string): Promise<PasswordCheck> {
  const { internalAdapter, password: passwords } = await identityProvider(env).$context;
  const accounts = await internalAdapter.findAccounts(userId);
  const hash = accounts.find(({ providerId }) => providerId === "credential")?.password;
  if (typeof hash !== "string") return "none";
  return (await passwords.verify({ hash, password })) ? "right" : "wrong";
}
