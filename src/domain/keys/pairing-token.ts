// Tokens of pairing links: `pair_` and a key that identifies its connection. Only the SHA-256 is stored.
import { keyHash, type KeyKind, makeLocatedKey, parseLocatedKey } from "./located-key.ts";
import type { VersionedSecrets } from "./secrets.ts";

const PREFIX = "pair_";
const KIND: KeyKind = { prefix: PREFIX, tagged: PREFIX };

/** The page reads the token from the URL's fragment, which browsers never send. */
export const PAIRING_PAGE = "/pair";

export function makePairingToken(secrets: VersionedSecrets, connection: string, random: Uint8Array): { token: string; hash: string } {
  const token = makeLocatedKey(KIND, secrets, connection, random);
  return { token, hash: keyHash(token) };
}

export function parsePairingToken(secrets: VersionedSecrets, token: string): { connection: string; hash: string } | null {
  const located = parseLocatedKey(KIND, secrets, token);
  return located === null ? null : { connection: located.connection, hash: keyHash(token) };
}
