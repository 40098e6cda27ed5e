// Merges the secrets of two gateways. Moved API keys work only where KEY_SECRET has the entry that signed them.
import { IMPLIED_KID, secretText, type VersionedSecrets } from "../keys/secrets.ts";

/** `merged` has both gateways' entries, and is null if none was missing. `keysWork` is false if two secrets have the same id. */
export function mergedSecret(own: VersionedSecrets, theirs: VersionedSecrets): { merged: string | null; keysWork: boolean } {
  const missing = [...theirs].filter(([kid]) => !own.has(kid));
  const keysWork = [...theirs].every(([kid, secret]) => secretText(own.get(kid) ?? secret) === secretText(secret));
  return { merged: missing.length === 0 ? null : written(new Map([...own, ...missing])), keysWork };
}

function written(secrets: VersionedSecrets): string {
  const [only] = secrets;
  if (secrets.size === 1 && only?.[0] === IMPLIED_KID) return secretText(only[1]);
  return [...secrets].map(([kid, secret]) => `${kid}:${secretText(secret)}`).join(" ");
}
