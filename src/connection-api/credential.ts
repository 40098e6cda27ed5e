// Connection API authentication, as far as the edge can decide it (docs/admission.md, "Connection API keys").
import { keyHash, parseKey, type KeySecrets } from "../domain/keys/api-key.ts";
import type { Caller } from "../protocol/connection.ts";

export type KnownKey = { connection: string; caller: Caller };

/**
 * The key of the request. `X-Api-Key` wins even when it is empty: a client that sends both means the first. The runtime
 * leaves trailing white space in header values and joins repeated headers with a comma (docs/admission.md, "Request bodies"): the former is
 * trimmed, the latter is no key.
 */
function presentedKey(headers: Headers): string | null {
  const apiKey = headers.get("x-api-key");
  if (apiKey !== null) return apiKey.trim();
  const bearer = /^bearer[ \t]+(.*)$/i.exec((headers.get("authorization") ?? "").trim());
  return bearer?.[1] ?? null;
}

/** The connection a genuine key names; null for a missing, malformed or made-up one. Asks no storage. */
export function knownKey(secrets: KeySecrets, headers: Headers): KnownKey | null {
  const key = presentedKey(headers);
  if (key === null) return null;
  const known = genuine.get(key);
  if (known?.secrets === secrets) return known;
  const parsed = parseKey(secrets, key);
  if (parsed === null) return null;
  if (genuine.size >= KEY_CACHE_SIZE) genuine.clear();
  const found = { secrets, connection: parsed.connection, caller: { kind: "connection_key", hash: keyHash(key) } } as const;
  genuine.set(key, found);
  return found;
}

/** Keys that this isolate has found genuine, by which secrets: that never changes. Whether a key still works its object says. */
const genuine = new Map<string, KnownKey & { secrets: KeySecrets }>();
const KEY_CACHE_SIZE = 10_000;
