// How deliveries are signed: which bytes, with which key, in which headers. The caller computes the MAC (HMAC-SHA256), because WebCrypto
// is asynchronous.
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { fromBase64, toBase64 } from "../base64.ts";

const SECRET_PREFIX = "whsec_";
const SECRET_BYTES = 32;

export type Signing = {
  /** The HMAC key of a secret. */
  keyOf(secret: string): Uint8Array;
  /** What is signed before the body. */
  preamble(id: string, timestampS: number): string;
  /** Headers of one attempt; one MAC per secret that is valid now, newest first. */
  headers(id: string, timestampS: number, macs: readonly Uint8Array[]): Record<string, string>;
};

/** Standard Webhooks (docs/use/events.md, "Signatures"). */
export const STANDARD_WEBHOOKS: Signing = {
  keyOf: (secret) => fromBase64(secret.slice(SECRET_PREFIX.length)),
  preamble: (id, timestampS) => `${id}.${timestampS}.`,
  headers: (id, timestampS, macs) => ({
    "webhook-id": id,
    "webhook-timestamp": String(timestampS),
    "webhook-signature": macs.map((mac) => `v1,${toBase64(mac)}`).join(" "),
  }),
};

/** Hex HMAC of the body; no secret, no header (docs/use/events.md, "Signatures"). */
export const SERVICE_SIGNATURE: Signing = {
  keyOf: (secret) => utf8ToBytes(secret),
  preamble: () => "",
  headers: (_id, _timestampS, [mac]): Record<string, string> => (mac === undefined ? {} : { "x-service-signature": bytesToHex(mac) }),
};

/** A new Connection API secret, `whsec_<base64>`. `random` must be 32 fresh random bytes. */
export function makeWebhookSecret(random: Uint8Array): string {
  if (random.length !== SECRET_BYTES) throw new Error("makeWebhookSecret wants 32 random bytes");
  return SECRET_PREFIX + toBase64(random);
}
