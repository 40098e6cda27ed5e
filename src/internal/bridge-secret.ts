// The bridges' shared secret.
import { timingSafeEqual } from "node:crypto";
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";

/** Compares digests, so that neither content nor length shows in the time it takes. */
export function bearsSecret(authorization: string | undefined, secret: string): boolean {
  const presented = /^Bearer (.+)$/i.exec(authorization ?? "")?.[1] ?? "";
  return timingSafeEqual(sha256(utf8ToBytes(presented)), sha256(utf8ToBytes(secret)));
}
