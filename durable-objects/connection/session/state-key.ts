// The key under which a connection's bridge encrypts its state rows: credentials are never at rest in the clear.
import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { toBase64 } from "../../../src/domain/base64.ts";

/** Base64 of 32 bytes: HKDF-SHA256 of the deployment's root secret, one key per connection. */
export function stateKey(rootSecret: string, connection: string): string {
  return toBase64(hkdf(sha256, utf8ToBytes(rootSecret), undefined, utf8ToBytes(`session state ${connection}`), 32));
}
