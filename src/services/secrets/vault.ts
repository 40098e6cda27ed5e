// Encryption at rest: AES-256-GCM, with the 12-byte nonce first and the tag last.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { fromBase64, toBase64 } from "@gateway/domain/base64.ts";
import { currentSecret, IMPLIED_KID, type VersionedSecrets } from "@gateway/domain/keys/secrets.ts";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
export const KEY_BYTES = 32;

/** `context` must be the same for seal and open, so that sealed values cannot be swapped. */
export class Vault {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  seal(text: string, context: string): Uint8Array {
    return this.sealBytes(utf8ToBytes(text), context);
  }

  /** Throws if the bytes were not sealed with this key in this context. */
  open(sealed: Uint8Array, context: string): string {
    return new TextDecoder().decode(this.openBytes(sealed, context));
  }

  sealBytes(plain: Uint8Array, context: string): Uint8Array {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonce);
    cipher.setAAD(utf8ToBytes(context));
    return concatBytes(nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag());
  }

  openBytes(sealed: Uint8Array, context: string): Uint8Array {
    const tagAt = sealed.length - TAG_BYTES;
    const decipher = createDecipheriv("aes-256-gcm", this.#key, sealed.subarray(0, NONCE_BYTES));
    decipher.setAAD(utf8ToBytes(context));
    decipher.setAuthTag(sealed.subarray(tagAt));
    return concatBytes(decipher.update(sealed.subarray(NONCE_BYTES, tagAt)), decipher.final());
  }
}

/** `owner` is the UUID of a connection or proxy, or the id of a user. */
export function derivedKey(secret: Uint8Array, owner: string, use: string): Uint8Array {
  return hkdf(sha256, secret, utf8ToBytes(owner), utf8ToBytes(use), KEY_BYTES);
}

// Secrets in D1 columns, as `<kid>:<base64>`. Each is encrypted for one owner under that STATE_SECRET entry.
const USE = "webhook-secrets";

export type SealedFor = { owner: string; context: string };

export function sealColumn(secrets: VersionedSecrets, { owner, context }: SealedFor, text: string): string {
  const { kid, secret } = currentSecret(secrets);
  return `${kid}:${toBase64(new Vault(derivedKey(secret, owner, USE)).seal(text, context))}`;
}

/** Throws if the entry was removed from the secrets, or the value was encrypted for another owner. */
export function openColumn(secrets: VersionedSecrets, { owner, context }: SealedFor, sealed: string): string {
  const [, number, base64 = ""] = /^(?:(\d+):)?(.*)$/.exec(sealed) ?? [];
  const kid = number === undefined ? IMPLIED_KID : Number(number);
  const secret = secrets.get(kid);
  if (secret === undefined) throw new Error(`sealed under entry ${kid} of STATE_SECRET, which is not set`);
  return new Vault(derivedKey(secret, owner, USE)).open(fromBase64(base64), context);
}
