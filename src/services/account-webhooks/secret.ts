// Signing secrets of an account's endpoints, encrypted at rest under a key of that account.
import { settingsOf, type Env } from "../../env.ts";
import { openColumn, sealColumn, type SealedFor } from "../secrets/vault.ts";
import type { AccountWebhook } from "./find.ts";

export function webhookSecret(userId: string): SealedFor {
  return { owner: userId, context: "account webhook" };
}

export function sealSecret(env: Env, userId: string, secret: string | null): string | null {
  if (secret === null || secret === "") return null;
  return sealColumn(settingsOf(env).STATE_SECRET, webhookSecret(userId), secret);
}

export function openSecret(env: Env, { userId, secretSealed }: Pick<AccountWebhook, "userId" | "secretSealed">): string | null {
  return secretSealed === null ? null : openColumn(settingsOf(env).STATE_SECRET, webhookSecret(userId), secretSealed);
}
