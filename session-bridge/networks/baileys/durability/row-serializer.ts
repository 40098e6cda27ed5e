// Serializes state rows. The first byte identifies the format of the rest.
import { BufferJSON, proto } from "baileys";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { RowSerializer } from "#bridge/store/row-codec.ts";
import { rowType } from "#bridge/store/row-types.ts";

/** Large rows are compressed, because app state can be long (docs/internals/durability.md, "State in memory, rows in the object"). */
const DEFLATE_FROM_BYTES = 16_384;

const KIND = { bytes: 0, json: 1, plainJson: 2, keyPair: 3, deflatedJson: 4 } as const;

type KeyPair = { public: Uint8Array; private: Uint8Array };

export const baileysRows: RowSerializer = {
  encode(type, value) {
    if (Buffer.isBuffer(value)) return withKind(KIND.bytes, value);
    // Pairing creates 812 pre-keys. Storing them as raw bytes halves their size.
    if (type === "pre-key" && isKeyPair(value)) return withKind(KIND.keyPair, Buffer.concat([value.public, value.private]));
    if (rowType(type).hasNoBytes) return withKind(KIND.plainJson, Buffer.from(JSON.stringify(value)));
    const json = Buffer.from(JSON.stringify(value, BufferJSON.replacer));
    return json.length < DEFLATE_FROM_BYTES ? withKind(KIND.json, json) : withKind(KIND.deflatedJson, deflateRawSync(json));
  },

  decode(type, plaintext) {
    const kind = plaintext[0] ?? KIND.bytes;
    const bytes = plaintext.subarray(1);
    if (kind === KIND.bytes) return bytes;
    if (kind === KIND.keyPair) return { public: bytes.subarray(0, 32), private: bytes.subarray(32) };
    if (kind === KIND.plainJson) return JSON.parse(bytes.toString());
    const text = kind === KIND.deflatedJson ? inflateRawSync(bytes).toString() : bytes.toString();
    const value: unknown = JSON.parse(text, BufferJSON.reviver);
    return type === "app-state-sync-key" && isObject(value) ? proto.Message.AppStateSyncKeyData.fromObject(value) : value;
  },
};

function withKind(kind: number, bytes: Buffer): Buffer[] {
  return [Buffer.of(kind), bytes];
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
