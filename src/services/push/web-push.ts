// Web Push: the server's keys (VAPID, RFC 8292) and the encryption of a message for one browser (RFC 8291, RFC 8188).
import { createCipheriv, createECDH, randomBytes } from "node:crypto";
import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { fromBase64, toBase64Url } from "@gateway/domain/base64.ts";
import { currentSecret, type VersionedSecrets } from "@gateway/domain/keys/secrets.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import { derivedKey } from "../secrets/vault.ts";

const CURVE = "prime256v1";
const PERIOD_MS = 30 * DAY_MS;
/** A key stays valid for this many more periods. By then, a browser has renewed its subscription, or its session has ended. */
const ACCEPTED_PERIODS = 2;
const TOKEN_SECONDS = 12 * 3_600;
const RECORD_BYTES = 4_096;

/** Derived from STATE_SECRET, so that nothing is stored. `id` is `<kid>.<period>`. */
export type ServerKey = { id: string; publicKey: Uint8Array; privateKey: Uint8Array };

export function currentServerKey(secrets: VersionedSecrets, now: number): ServerKey {
  const { kid, secret } = currentSecret(secrets);
  return derived(secret, kid, periodOf(now));
}

/** Null if the key's period ended too long ago, or if its entry was removed from the secrets. */
export function serverKey(secrets: VersionedSecrets, id: string, now: number): ServerKey | null {
  const [kid = 0, period = 0] = id.split(".").map(Number);
  const secret = secrets.get(kid);
  return secret === undefined || period < periodOf(now) - ACCEPTED_PERIODS ? null : derived(secret, kid, period);
}

const periodOf = (now: number) => Math.floor(now / PERIOD_MS);

function derived(secret: Uint8Array, kid: number, period: number): ServerKey {
  const pair = createECDH(CURVE);
  pair.setPrivateKey(derivedKey(secret, "push", `server key ${period}`));
  return { id: `${kid}.${period}`, publicKey: pair.getPublicKey(), privateKey: pair.getPrivateKey() };
}

/** The `Authorization` header. `contact` is a URL of this deployment, for the push service's operator. */
export async function authorization({ publicKey, privateKey }: ServerKey, endpoint: string, contact: string, now: number): Promise<string> {
  const part = (value: object) => toBase64Url(utf8ToBytes(JSON.stringify(value)));
  const claims = { aud: new URL(endpoint).origin, exp: Math.floor(now / 1_000) + TOKEN_SECONDS, sub: contact };
  const signed = `${part({ typ: "JWT", alg: "ES256" })}.${part(claims)}`;
  const point = { x: toBase64Url(publicKey.subarray(1, 33)), y: toBase64Url(publicKey.subarray(33)) };
  const jwk = { kty: "EC", crv: "P-256", d: toBase64Url(privateKey), ...point };
  const key = await crypto.subtle.importKey("jwk", jwk, { name: "ECDSA", namedCurve: "P-256" }, false, ["sign"]);
  const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, key, utf8ToBytes(signed));
  return `vapid t=${signed}.${toBase64Url(new Uint8Array(signature))}, k=${toBase64Url(publicKey)}`;
}

/** A browser's keys, in base64url. */
export type BrowserKeys = { p256dh: string; auth: string };

/** False for a key that is not a point on the curve, because encrypting for it would fail every time. */
export function isBrowserKey(keys: BrowserKeys): boolean {
  try {
    return encrypted("", keys).length > 0;
  } catch {
    return false;
  }
}

/** Randomness of one message. Tests pass the values of RFC 8291, appendix A. */
export type Randomness = { salt: Uint8Array; privateKey: Uint8Array };

export function encrypted(text: string, { p256dh, auth }: BrowserKeys, given?: Randomness): Uint8Array {
  const pair = createECDH(CURVE);
  if (given === undefined) pair.generateKeys();
  else pair.setPrivateKey(given.privateKey);
  const salt = given?.salt ?? randomBytes(16);
  const [theirs, ours] = [fromBase64(p256dh), new Uint8Array(pair.getPublicKey())];
  const secret = hkdf(sha256, pair.computeSecret(theirs), fromBase64(auth), concatBytes(utf8ToBytes("WebPush: info\0"), theirs, ours), 32);
  const key = hkdf(sha256, secret, salt, utf8ToBytes("Content-Encoding: aes128gcm\0"), 16);
  const nonce = hkdf(sha256, secret, salt, utf8ToBytes("Content-Encoding: nonce\0"), 12);
  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  // Appends the byte 2, which marks the last record.
  const record = [cipher.update(concatBytes(utf8ToBytes(text), Uint8Array.of(2))), cipher.final(), cipher.getAuthTag()];
  const size = new Uint8Array(4);
  new DataView(size.buffer).setUint32(0, RECORD_BYTES);
  return concatBytes(salt, size, Uint8Array.of(ours.length), ours, ...record);
}
