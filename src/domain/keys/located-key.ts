// Keys that identify their connection: 60 base62 characters, which encode 40 bytes: random 15 | key id 1 | locator 16 | tag 8. The locator
// is the encrypted UUID and the tag a MAC, so the worker rejects a forged key and routes a real one without a lookup.
import { timingSafeEqual } from "node:crypto";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { hmac } from "@noble/hashes/hmac.js";
import { currentSecret, type VersionedSecrets } from "./secrets.ts";

// A MAC over all preceding bytes, so that forged keys are rejected without a storage call.
export const TAG_BYTES = 8;

export function tagOf(secret: Uint8Array, body: Uint8Array): Uint8Array {
  return macOf(secret, body).subarray(0, TAG_BYTES);
}

/** HMAC-SHA256. Caches each secret's key schedule, so that checking a key costs only one hash of its bytes. */
export function macOf(secret: Uint8Array, message: Uint8Array): Uint8Array {
  let keyed = keyedWith.get(secret);
  if (keyed === undefined) {
    keyed = hmac.create(sha256, secret);
    keyedWith.set(secret, keyed);
  }
  return keyed.clone().update(message).digest();
}

const keyedWith = new WeakMap<Uint8Array, ReturnType<typeof hmac.create>>();

/** `tagged` is text that the tag covers, so that a key of one kind is never valid as another. */
export type KeyKind = { prefix: string; tagged: string };

export type LocatedKey = { connection: string; kid: number };

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const DIGIT = new Map([...ALPHABET].map((letter, index) => [letter, index]));
const RANDOM = 15;
const LOCATOR_AT = RANDOM + 1;
const TAG_AT = LOCATOR_AT + 16;
const BYTES = TAG_AT + TAG_BYTES;
/** Every 4 bytes become 6 characters (62^6 > 2^32). This needs no big integers and gives each value a single encoding. */
const GROUP = { bytes: 4, letters: 6 } as const;
const LETTERS = (BYTES / GROUP.bytes) * GROUP.letters;

export function makeLocatedKey(kind: KeyKind, secrets: VersionedSecrets, connection: string, random: Uint8Array): string {
  if (random.length !== RANDOM) throw new Error("makeLocatedKey wants 15 random bytes");
  const { kid, secret } = currentSecret(secrets);
  const locator = xor(uuidBytes(connection), keyStream(secret, random));
  const body = concatBytes(random, Uint8Array.of(kid), locator);
  return kind.prefix + encode(concatBytes(body, tagged(kind, secret, body)));
}

/** Returns null if the key was not issued here. The connection's object decides whether the key is active. */
export function parseLocatedKey(kind: KeyKind, secrets: VersionedSecrets, key: string): LocatedKey | null {
  if (!key.startsWith(kind.prefix) || key.length !== kind.prefix.length + LETTERS) return null;
  const bytes = decode(key.slice(kind.prefix.length));
  if (bytes === null) return null;
  const kid = bytes[RANDOM] ?? 0;
  const secret = secrets.get(kid);
  if (secret === undefined) return null;
  if (!timingSafeEqual(tagged(kind, secret, bytes.subarray(0, TAG_AT)), bytes.subarray(TAG_AT))) return null;
  const random = bytes.subarray(0, RANDOM);
  return { connection: uuidText(xor(bytes.subarray(LOCATOR_AT, TAG_AT), keyStream(secret, random))), kid };
}

/** The stored form of a key. A plain hash is enough, because a key has 120 random bits. */
export function keyHash(key: string): string {
  return bytesToHex(sha256(utf8ToBytes(key)));
}

function tagged(kind: KeyKind, secret: Uint8Array, body: Uint8Array): Uint8Array {
  return tagOf(secret, concatBytes(utf8ToBytes(kind.tagged), body));
}

function keyStream(secret: Uint8Array, random: Uint8Array): Uint8Array {
  return macOf(secret, concatBytes(utf8ToBytes("locator"), random)).subarray(0, 16);
}

function xor(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.map((byte, index) => byte ^ (b[index] ?? 0));
}

function uuidBytes(uuid: string): Uint8Array {
  return hexToBytes(uuid.replaceAll("-", ""));
}

function uuidText(bytes: Uint8Array): string {
  const hex = bytesToHex(bytes);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

function encode(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let text = "";
  for (let at = 0; at < bytes.length; at += GROUP.bytes) {
    let value = view.getUint32(at);
    let group = "";
    for (let letter = 0; letter < GROUP.letters; letter += 1) {
      group = (ALPHABET[value % 62] ?? "0") + group;
      value = Math.floor(value / 62);
    }
    text += group;
  }
  return text;
}

function decode(text: string): Uint8Array | null {
  const bytes = new Uint8Array(BYTES);
  const view = new DataView(bytes.buffer);
  for (let group = 0; group * GROUP.letters < text.length; group += 1) {
    let value = 0;
    for (let letter = 0; letter < GROUP.letters; letter += 1) {
      const digit = DIGIT.get(text[group * GROUP.letters + letter] ?? "");
      if (digit === undefined) return null;
      value = value * 62 + digit;
    }
    if (value > 0xffff_ffff) return null;
    view.setUint32(group * GROUP.bytes, value);
  }
  return bytes;
}
