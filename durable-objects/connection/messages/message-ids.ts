// Creates message ids in the format of the network's own web client.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

const PREFIX = "3EB0";
const ID_BYTES = 9;

export function newMessageId(): string {
  return messageIdOf(crypto.getRandomValues(new Uint8Array(ID_BYTES)));
}

/** Returns the same id for the same seed, so that a repeated message is sent only once. */
export function derivedMessageId(seed: string): string {
  return messageIdOf(sha256(utf8ToBytes(seed)).slice(0, ID_BYTES));
}

function messageIdOf(bytes: Uint8Array): string {
  return PREFIX + bytesToHex(bytes).toUpperCase();
}
