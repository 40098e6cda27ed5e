// Encrypts state rows with AES-256-GCM under the connection's state key, bound to the row's name.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A value that is expensive to encode, and is often deleted before its encoding is needed. */
export class Deferred {
  readonly encode: () => Buffer;
  constructor(encode: () => Buffer) {
    this.encode = encode;
  }
}

/** The network library's part of the format: converts a row type's value to bytes (in one or several pieces) and back. */
export type RowSerializer = {
  encode(type: string, value: unknown): readonly Buffer[];
  decode(type: string, bytes: Buffer): unknown;
};

export class RowCodec {
  readonly #key: Buffer;
  readonly #serializer: RowSerializer;

  constructor(stateKey: Buffer, serializer: RowSerializer) {
    this.#key = stateKey;
    this.#serializer = serializer;
  }

  seal(name: string, value: unknown): string {
    const nonce = randomNonce();
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonce);
    cipher.setAAD(Buffer.from(name));
    const plain = this.#serializer.encode(typeOf(name), value instanceof Deferred ? value.encode() : value);
    const sealed = plain.map((bytes) => cipher.update(bytes));
    return Buffer.concat([nonce, ...sealed, cipher.final(), cipher.getAuthTag()]).toString("base64");
  }

  /** Throws when the row was not encrypted under this key and name. Such state cannot be trusted and must not be used. */
  open(name: string, sealed: string): unknown {
    const row = Buffer.from(sealed, "base64");
    const decipher = createDecipheriv("aes-256-gcm", this.#key, row.subarray(0, NONCE_BYTES));
    decipher.setAAD(Buffer.from(name));
    decipher.setAuthTag(row.subarray(row.length - TAG_BYTES));
    const plain = Buffer.concat([decipher.update(row.subarray(NONCE_BYTES, row.length - TAG_BYTES)), decipher.final()]);
    return this.#serializer.decode(typeOf(name), plain);
  }
}

/** Copies bytes into their own memory. Small buffers are slices of a shared pool, so keeping 32 bytes would pin 64 KB. */
export function unpooled(bytes: Uint8Array): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  own.set(bytes);
  return own;
}

/** Like `unpooled`, but for a row's value. Replaces its byte fields in place, so that the object keeps its identity. */
export function unpooledRow(value: unknown): unknown {
  if (value instanceof Uint8Array) return value.buffer.byteLength === value.byteLength ? value : unpooled(value);
  if (typeof value !== "object" || value === null) return value;
  for (const [name, part] of Object.entries(value)) {
    const own = unpooledRow(part);
    if (own !== part) Object.assign(value, { [name]: own });
  }
  return value;
}

export function typeOf(name: string): string {
  return name.slice(0, name.indexOf("|"));
}

let pool = Buffer.alloc(0);

/** Requests random bytes in bulk, because requesting 12 at a time costs more than the encryption. */
function randomNonce(): Buffer {
  if (pool.length < NONCE_BYTES) pool = randomBytes(NONCE_BYTES * 256);
  const nonce = pool.subarray(0, NONCE_BYTES);
  pool = pool.subarray(NONCE_BYTES);
  return nonce;
}
