// Connection API keys: `svc_` and a key that identifies its connection (docs/internals/admission.md, "Connection API keys").
import { keyHash, type KeyKind, type LocatedKey, makeLocatedKey, parseLocatedKey } from "./located-key.ts";
import type { VersionedSecrets } from "./secrets.ts";

export { keyHash };

const KIND: KeyKind = { prefix: "svc_", tagged: "" };

const SHOWN = KIND.prefix.length + 8;

export type GeneratedKey = { key: string; prefix: string; hash: string };

export function makeKey(secrets: VersionedSecrets, connection: string, random: Uint8Array): GeneratedKey {
  const key = makeLocatedKey(KIND, secrets, connection, random);
  return { key, prefix: key.slice(0, SHOWN), hash: keyHash(key) };
}

/** Returns null if the key was not issued here. The connection's object decides whether the key is active. */
export function parseKey(secrets: VersionedSecrets, key: string): LocatedKey | null {
  return parseLocatedKey(KIND, secrets, key);
}
