// Signs deliveries. The caller computes the MAC (HMAC-SHA256), because WebCrypto is asynchronous.
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { fromBase64, toBase64 } from "../base64.ts";

const SECRET_PREFIX = "whsec_";
const SECRET_BYTES = 32;

export type Signing = {
  keyOf(secret: string): Uint8Array;
  preamble(id: string, timestampS: number): string;
  /** The headers of one attempt, with a MAC under each valid secret, newest first. */
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

/** Hex HMAC of the body. Without a secret, there is no header (docs/use/events.md, "Signatures"). */
export const SERVICE_SIGNATURE: Signing = {
  keyOf: (secret) => utf8ToBytes(secret),
  preamble: () => "",
  headers: (_id, _timestampS, [mac]): Record<string, string> => (mac === undefined ? {} : { "x-service-signature": bytesToHex(mac) }),
};

export function makeWebhookSecret(random: Uint8Array): string {
  if (random.length !== SECRET_BYTES) throw new Error("makeWebhookSecret wants 32 random bytes");
  return SECRET_PREFIX + toBase64(random);
}
