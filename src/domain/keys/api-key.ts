// Connection API keys: `svc_` and a key that names its connection (docs/internals/admission.md, "Connection API keys").
import { keyHash, type KeyKind, type LocatedKey, makeLocatedKey, parseLocatedKey } from "./located-key.ts";
import type { VersionedSecrets } from "./secrets.ts";

export { keyHash };

/** The first kind: its tag covers no name. */
const KIND: KeyKind = { prefix: "svc_", tagged: "" };

/** Length of the prefix shown to tell keys apart. It is random and reveals nothing of the rest. */
const SHOWN = KIND.prefix.length + 8;

export type GeneratedKey = { key: string; prefix: string; hash: string };

/** A new key of the connection. `random` must be 15 fresh random bytes. */
export function makeKey(secrets: VersionedSecrets, connection: string, random: Uint8Array): GeneratedKey {
  const key = makeLocatedKey(KIND, secrets, connection, random);
  return { key, prefix: key.slice(0, SHOWN), hash: keyHash(key) };
}

/** The connection that a key belongs to and the entry it was issued under, or null when this service did not issue it. Only the object knows whether it is still active. */
export function parseKey(secrets: VersionedSecrets, key: string): LocatedKey | null {
  return parseLocatedKey(KIND, secrets, key);
}
