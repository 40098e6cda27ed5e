// AES-256-GCM with the nonce first and the tag last, as in the worker's `Vault`, which Node code may not import.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { currentSecret, readSecrets, type VersionedSecrets } from "@gateway/domain/keys/secrets.ts";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

export function seal(key: Uint8Array, plain: Uint8Array, context: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce);
  cipher.setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Throws if the bytes were not sealed with this key in this context. */
export function unseal(key: Uint8Array, sealed: Uint8Array, context: string): Buffer {
  const tagAt = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES));
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(sealed.subarray(tagAt));
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, tagAt)), decipher.final()]);
}

export function secretsIn(setting: string, name: string): VersionedSecrets {
  const read = readSecrets(setting);
  if (!read.ok) throw new Error(`${name}: ${read.problem}`);
  return read.secrets;
}

/** The keys of a connection's object, as its `data_key` table stores them. */
type DataKeyRow = { name: string; kid: number; sealed: Uint8Array };

export function dataKeysOf(object: DatabaseSync, stateSecret: string, uuid: string): { name: string; key: Buffer }[] {
  const rows = object.prepare("SELECT name, kid, sealed FROM data_key").all() as DataKeyRow[];
  return rows.map((row) => ({ name: row.name, key: openDataKey(stateSecret, uuid, row) }));
}

/** `keys` contains each key in base64. */
export function adoptDataKeys(
  object: DatabaseSync,
  stateSecret: string,
  uuid: string,
  keys: readonly { name: string; key: string }[],
): void {
  const insert = object.prepare("INSERT OR REPLACE INTO data_key (name, kid, sealed) VALUES (?, ?, ?)");
  for (const { name, key } of keys) {
    const { kid, sealed } = sealDataKey(stateSecret, uuid, name, Buffer.from(key, "base64"));
    insert.run(name, kid, sealed);
  }
}

function openDataKey(stateSecret: string, uuid: string, { name, kid, sealed }: DataKeyRow): Buffer {
  const secret = secretsIn(stateSecret, "STATE_SECRET").get(kid);
  if (secret === undefined) throw new Error(`STATE_SECRET: entry ${kid} is missing`);
  return unseal(sealingKey(secret, uuid), sealed, name);
}

function sealDataKey(stateSecret: string, uuid: string, name: string, key: Uint8Array): DataKeyRow {
  const { kid, secret } = currentSecret(secretsIn(stateSecret, "STATE_SECRET"));
  return { name, kid, sealed: seal(sealingKey(secret, uuid), key, name) };
}

const sealingKey = (secret: Uint8Array, uuid: string) => Buffer.from(hkdfSync("sha256", secret, uuid, "data keys", KEY_BYTES));
