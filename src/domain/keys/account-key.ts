// Account API keys: `acc_` and 43 base64url characters, which encode 32 bytes: random 23 | key id 1 | tag 8. Only the SHA-256 is stored.
import { timingSafeEqual } from "node:crypto";
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { fromBase64, toBase64Url } from "../base64.ts";
import { keyHash, type GeneratedKey } from "./api-key.ts";
import { TAG_BYTES, tagOf } from "./located-key.ts";
import { currentSecret, type VersionedSecrets } from "./secrets.ts";

const PREFIX = "acc_";
const RANDOM = 23;
const TAG_AT = RANDOM + 1;
const LETTERS = 43;
const SHOWN = PREFIX.length + 8;

export function makeAccountKey(secrets: VersionedSecrets, random: Uint8Array): GeneratedKey {
  if (random.length !== RANDOM) throw new Error("makeAccountKey wants 23 random bytes");
  const { kid, secret } = currentSecret(secrets);
  const body = concatBytes(random, Uint8Array.of(kid));
  const key = PREFIX + toBase64Url(concatBytes(body, accountTag(secret, body)));
  return { key, prefix: key.slice(0, SHOWN), hash: keyHash(key) };
}

/** The signing secret's id, or null if the key was not issued here. The caller must check in D1 whether the key is active. */
export function kidOfAccountKey(secrets: VersionedSecrets, key: string): number | null {
  if (!key.startsWith(PREFIX) || key.length !== PREFIX.length + LETTERS) return null;
  const bytes = decode(key.slice(PREFIX.length));
  const kid = bytes?.[RANDOM] ?? 0;
  const secret = secrets.get(kid);
  if (bytes === null || secret === undefined) return null;
  return timingSafeEqual(accountTag(secret, bytes.subarray(0, TAG_AT)), bytes.subarray(TAG_AT)) ? kid : null;
}

/** The tag covers the prefix, so that the tag of a Connection API key is never valid here. */
function accountTag(secret: Uint8Array, body: Uint8Array): Uint8Array {
  return tagOf(secret, concatBytes(utf8ToBytes(PREFIX), body));
}

/** Each value has one encoding, because the unused bits of the last character must be zero. */
function decode(text: string): Uint8Array | null {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) return null;
  const bytes = fromBase64(text);
  return bytes.length === TAG_AT + TAG_BYTES && toBase64Url(bytes) === text ? bytes : null;
}
