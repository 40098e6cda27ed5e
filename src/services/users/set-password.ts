import type { Env } from "../../env.ts";
import { identityProvider } from "../identity/provider.ts";

/** Sets the user's password. The one they already have is left as it is. */
export async function setPassword(env: Env, userId: string, password: string): Promise<void> {
  const { internalAdapter, password: passwords } = await identityProvider(env).$context;
  const accounts = await internalAdapter.findAccounts(userId);
  const current = accounts.find((account) => account.providerId === "credential");
  if (current === undefined) {
    await internalAdapter.linkAccount({ userId, providerId: "credential", accountId: userId, password: await passwords.hash(password) });
    return;
  }
  const same = typeof current.password === "string" && (await passwords.verify({ hash: current.password, password }));
  if (!same) await internalAdapter.updatePassword(userId, await passwords.hash(password));
}
