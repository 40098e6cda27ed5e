// Secrets in columns of D1: `<kid>:<base64>`, encrypted for one owner under that entry of STATE_SECRET.
import { fromBase64, toBase64 } from "@gateway/domain/base64.ts";
import { currentSecret, IMPLIED_KID, type VersionedSecrets } from "@gateway/domain/keys/secrets.ts";
import { derivedKey, Vault } from "./vault.ts";

const USE = "webhook-secrets";

export type SealedFor = { owner: string; context: string };

export function sealColumn(secrets: VersionedSecrets, { owner, context }: SealedFor, text: string): string {
  const { kid, secret } = currentSecret(secrets);
  return `${kid}:${toBase64(new Vault(derivedKey(secret, owner, USE)).seal(text, context))}`;
}

/** Throws when the entry was removed from the secrets, or the value was encrypted for another owner. */
export function openColumn(secrets: VersionedSecrets, { owner, context }: SealedFor, sealed: string): string {
  const [, number, base64 = ""] = /^(?:(\d+):)?(.*)$/.exec(sealed) ?? [];
  const kid = number === undefined ? IMPLIED_KID : Number(number);
  const secret = secrets.get(kid);
  if (secret === undefined) throw new Error(`sealed under entry ${kid} of STATE_SECRET, which is not set`);
  return new Vault(derivedKey(secret, owner, USE)).open(fromBase64(base64), context);
}
