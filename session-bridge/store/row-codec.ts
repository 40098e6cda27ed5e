// How one state row looks at rest: nonce, ciphertext and tag of AES-256-GCM under the connection's state key, bound to the row's
// name so that rows cannot be swapped. The plaintext's first byte says how the rest is to be read.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { BufferJSON, proto } from "baileys";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/**
 * App-state rows grow with the number of labels and contacts: long text is deflated (docs/durability.md, "State in memory, rows in the
 * object").
 */
const DEFLATE_FROM_BYTES = 16_384;

const KIND = { bytes: 0, json: 1, plainJson: 2, keyPair: 3, deflatedJson: 4 } as const;

/** Values of these types hold no bytes, so the slow replacer of BufferJSON is not needed. */
const PLAIN_TYPES = new Set(["session", "lid-mapping", "device-list"]);

/** A value that costs something to encode, and often is deleted before it has to be. */
export class Deferred {
  readonly encode: () => Buffer;
  constructor(encode: () => Buffer) {
    this.encode = encode;
  }
}

type KeyPair = { public: Uint8Array; private: Uint8Array };

export class RowCodec {
  readonly #key: Buffer;

  constructor(stateKey: Buffer) {
    this.#key = stateKey;
  }

  seal(name: string, value: unknown): string {
    const [kind, bytes] = encode(typeOf(name), value);
    const nonce = randomNonce();
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonce);
    cipher.setAAD(Buffer.from(name));
    return Buffer.concat([nonce, cipher.update(Buffer.of(kind)), cipher.update(bytes), cipher.final(), cipher.getAuthTag()]).toString(
      "base64",
    );
  }

  /** Throws when the row was not sealed under this key and name: state that cannot be trusted must not be used. */
  open(name: string, sealed: string): unknown {
    const row = Buffer.from(sealed, "base64");
    const decipher = createDecipheriv("aes-256-gcm", this.#key, row.subarray(0, NONCE_BYTES));
    decipher.setAAD(Buffer.from(name));
    decipher.setAuthTag(row.subarray(row.length - TAG_BYTES));
    const plain = Buffer.concat([decipher.update(row.subarray(NONCE_BYTES, row.length - TAG_BYTES)), decipher.final()]);
    return decode(typeOf(name), plain[0] ?? KIND.bytes, plain.subarray(1));
  }
}

export function typeOf(name: string): string {
  return name.slice(0, name.indexOf("|"));
}

function encode(type: string, value: unknown): [kind: number, bytes: Buffer] {
  if (value instanceof Deferred) return [KIND.bytes, value.encode()];
  if (Buffer.isBuffer(value)) return [KIND.bytes, value];
  // 812 of these are made at pairing: raw they take half the room.
  if (type === "pre-key" && isKeyPair(value)) return [KIND.keyPair, Buffer.concat([value.public, value.private])];
  if (PLAIN_TYPES.has(type)) return [KIND.plainJson, Buffer.from(JSON.stringify(value))];
  const json = Buffer.from(JSON.stringify(value, BufferJSON.replacer));
  return json.length < DEFLATE_FROM_BYTES ? [KIND.json, json] : [KIND.deflatedJson, deflateRawSync(json)];
}

function decode(type: string, kind: number, bytes: Buffer): unknown {
  if (kind === KIND.bytes) return bytes;
  if (kind === KIND.keyPair) return { public: bytes.subarray(0, 32), private: bytes.subarray(32) };
  if (kind === KIND.plainJson) return JSON.parse(bytes.toString());
  const text = kind === KIND.deflatedJson ? inflateRawSync(bytes).toString() : bytes.toString();
  const value: unknown = JSON.parse(text, BufferJSON.reviver);
  return type === "app-state-sync-key" && isObject(value) ? proto.Message.AppStateSyncKeyData.fromObject(value) : value;
}

function isKeyPair(value: unknown): value is KeyPair {
  return isObject(value) && is32Bytes(value.public) && is32Bytes(value.private);
}

function is32Bytes(value: unknown): boolean {
  return value instanceof Uint8Array && value.length === 32;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

let pool = Buffer.alloc(0);

/** Asking the system for 12 bytes at a time costs more than the encryption. */
function randomNonce(): Buffer {
  if (pool.length < NONCE_BYTES) pool = randomBytes(NONCE_BYTES * 256);
  const nonce = pool.subarray(0, NONCE_BYTES);
  pool = pool.subarray(NONCE_BYTES);
  return nonce;
}
