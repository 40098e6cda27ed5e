// A MAC over everything before it, so that a made-up key is rejected without a storage call.
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";

export const TAG_BYTES = 8;

export function tagOf(secret: Uint8Array, body: Uint8Array): Uint8Array {
  return macOf(secret, body).subarray(0, TAG_BYTES);
}

/** HMAC-SHA256. Caches the key schedule of each secret, so that checking a key costs only one hash of its bytes. */
export function macOf(secret: Uint8Array, message: Uint8Array): Uint8Array {
  let keyed = keyedWith.get(secret);
  if (keyed === undefined) {
    keyed = hmac.create(sha256, secret);
    keyedWith.set(secret, keyed);
  }
  return keyed.clone().update(message).digest();
}

const keyedWith = new WeakMap<Uint8Array, ReturnType<typeof hmac.create>>();
