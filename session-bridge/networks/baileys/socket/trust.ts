// Whom the process trusts; set before any network socket is opened.
import tls from "node:tls";
import { Curve, WA_CERT_DETAILS } from "baileys";
import { verify } from "curve25519-js";

/**
 * Baileys ignores libsignal's result, so any 64-byte signature passes: neither the network's certificate nor the account's signature at
 * pairing would be verified (docs/durability.md, "Defects of the libraries"). `Curve` is a plain exported object, read at each use.
 */
export function verifySignaturesStrictly(): void {
  const strict: typeof Curve.verify = (publicKey, message, signature) => {
    try {
      const key = publicKey.length === 33 ? publicKey.subarray(1) : publicKey;
      return key.length === 32 && signature.length === 64 && verify(key, message, signature);
    } catch {
      return false;
    }
  };
  // The self-check verifies that it takes effect.
  Reflect.set(Curve, "verify", strict);
}

/** Trusts the local network: its root in place of the real one, and its certificate authority beside the public ones. */
export function trustLocalNetwork(root: Buffer, ca: string): void {
  Reflect.set(WA_CERT_DETAILS, "PUBLIC_KEY", Buffer.from(root));
  tls.setDefaultCACertificates([...tls.getCACertificates("default"), ca]);
}
