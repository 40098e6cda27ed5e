// Connection API authentication without a storage read (docs/internals/admission.md, "Connection API keys").
import { LRUCache } from "lru-cache";
import { keyHash, parseKey } from "@gateway/domain/keys/api-key.ts";
import type { VersionedSecrets } from "@gateway/domain/keys/secrets.ts";
import type { Caller } from "@gateway/protocol/connection.ts";

/** `kid`: the entry of KEY_SECRET that signed the key. */
export type KnownKey = { connection: string; kid: number; caller: Caller };

/** `X-Api-Key` wins even when empty. The runtime keeps trailing white space (trimmed) and joins repeated headers (refused). */
function presentedKey(headers: Headers): string | null {
  const apiKey = headers.get("x-api-key");
  if (apiKey !== null) return apiKey.trim();
  const bearer = /^bearer[ \t]+(.*)$/i.exec((headers.get("authorization") ?? "").trim());
  return bearer?.[1] ?? null;
}

/** The connection identified by a signed key; null for a missing, malformed or forged key. Reads no storage. */
export function knownKey(secrets: VersionedSecrets, headers: Headers): KnownKey | null {
  const key = presentedKey(headers);
  if (key === null) return null;
  const cached = verifiedKeys.get(key);
  if (cached?.secrets === secrets) return cached;
  const parsed = parseKey(secrets, key);
  if (parsed === null) return null;
  const verified = { secrets, ...parsed, caller: { kind: "connection_key", hash: keyHash(key) } } as const;
  verifiedKeys.set(key, verified);
  return verified;
}

/** Keys whose signature this isolate has verified. Only the object knows whether a key was revoked. */
const verifiedKeys = new LRUCache<string, KnownKey & { secrets: VersionedSecrets }>({ max: 10_000 });
