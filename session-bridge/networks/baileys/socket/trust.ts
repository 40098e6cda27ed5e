// Whom the process trusts; set before any network socket is opened.
import tls from "node:tls";
import { Curve, WA_CERT_DETAILS } from "baileys";
import { verifyNatively, verifySignature } from "#root/native-signatures.ts";

/**
 * Baileys ignores libsignal's result, so any 64-byte signature passes: neither the network's certificate nor the account's signature at
 * pairing would be verified (docs/internals/baileys.md, "Defects of the libraries"). `Curve` is a plain exported object, read at each use.
 */
export function verifySignaturesStrictly(): void {
  verifyNatively();
  const strict: typeof Curve.verify = (publicKey, message, signature) => {
    try {
      return verifySignature(publicKey.length === 33 ? publicKey.subarray(1) : publicKey, message, signature);
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
