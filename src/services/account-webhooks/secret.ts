// Signing secrets of an account's endpoints, encrypted at rest with a key of the account alone.
import { fromBase64, toBase64 } from "../../domain/base64.ts";
import { currentSecret, secretText } from "../../domain/keys/secrets.ts";
import { settingsOf, type Env } from "../../env.ts";
import { Vault } from "../secrets/vault.ts";
import type { AccountWebhook } from "./find.ts";

const CONTEXT = "account webhook";

/** The value of `secret_sealed`. An empty secret means none: deliveries are then not signed. */
export async function sealSecret(env: Env, userId: string, secret: string | null): Promise<string | null> {
  if (secret === null || secret === "") return null;
  const sealed = await vaultOf(env, userId).seal(secret, CONTEXT);
  return toBase64(sealed);
}

export async function openSecret(
  env: Env,
  { userId, secretSealed }: Pick<AccountWebhook, "userId" | "secretSealed">,
): Promise<string | null> {
  if (secretSealed === null) return null;
  const sealed = fromBase64(secretSealed);
  return vaultOf(env, userId).open(sealed, CONTEXT);
}

function vaultOf(env: Env, userId: string): Vault {
  return new Vault(secretText(currentSecret(settingsOf(env).STATE_SECRET).secret), userId);
}
