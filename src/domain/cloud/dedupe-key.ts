// Dedupe keys of what webhooks tell: the same fact has the same key, however often it is told (src/protocol/events.ts, `KeyedEvent`).
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** The contract's limit of a key. */
const MAX_KEY_LENGTH = 300;

/** What would be too long is named by its digest. */
export function keyOf(...parts: string[]): string {
  const key = parts.join(":");
  return key.length <= MAX_KEY_LENGTH ? key : `${parts.slice(0, 2).join(":").slice(0, 64)}:${bytesToHex(sha256(utf8ToBytes(key)))}`;
}
