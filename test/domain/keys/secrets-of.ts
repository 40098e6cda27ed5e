import { readSecrets, type VersionedSecrets } from "@gateway/domain/keys/secrets.ts";

/** Parses a setting that is known to be valid. */
export function secretsOf(setting: string): VersionedSecrets {
  const read = readSecrets(setting);
  if (!read.ok) throw new Error(read.problem);
  return read.secrets;
}
