// Surface A keys: `acc_` + 43 characters, 32 random bytes. Only the SHA-256 is kept.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

const PREFIX = "acc_";
const SHOWN = PREFIX.length + 8;

export type MadeAccountKey = { key: string; prefix: string; hash: string };

/** A new key from 32 fresh random bytes. */
export function makeAccountKey(random: Uint8Array): MadeAccountKey {
  if (random.length !== 32) throw new Error("makeAccountKey wants 32 random bytes");
  const letters = btoa(String.fromCharCode(...random))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
  const key = PREFIX + letters;
  return { key, prefix: key.slice(0, SHOWN), hash: bytesToHex(sha256(utf8ToBytes(key))) };
}
