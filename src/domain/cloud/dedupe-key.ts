// Dedupe keys of webhook events: a repeated webhook yields the same key (src/protocol/events.ts, `KeyedEvent`).
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

const MAX_KEY_LENGTH = 300;

/** A key that is too long is replaced by a digest. */
export function keyOf(...parts: string[]): string {
  const key = parts.join(":");
  return key.length <= MAX_KEY_LENGTH ? key : `${parts.slice(0, 2).join(":").slice(0, 64)}:${bytesToHex(sha256(utf8ToBytes(key)))}`;
}
