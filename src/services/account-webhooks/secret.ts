// Signing secrets of an account's endpoints, encrypted at rest with a key of the account alone.
import { settingsOf, type Env } from "../../env.ts";
import { openColumn, sealColumn, type SealedFor } from "../secrets/sealed-columns.ts";
import type { AccountWebhook } from "./find.ts";

/** What the secrets of a user's endpoints are sealed for. */
export function webhookSecret(userId: string): SealedFor {
  return { owner: userId, context: "account webhook" };
}

/** The value of `secret_sealed`. An empty secret means none: deliveries are then not signed. */
export function sealSecret(env: Env, userId: string, secret: string | null): string | null {
  if (secret === null || secret === "") return null;
  return sealColumn(settingsOf(env).STATE_SECRET, webhookSecret(userId), secret);
}

export function openSecret(env: Env, { userId, secretSealed }: Pick<AccountWebhook, "userId" | "secretSealed">): string | null {
  return secretSealed === null ? null : openColumn(settingsOf(env).STATE_SECRET, webhookSecret(userId), secretSealed);
}
