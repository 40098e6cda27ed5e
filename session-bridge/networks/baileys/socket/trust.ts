import tls from "node:tls";
import { Curve, WA_CERT_DETAILS } from "baileys";
import { verifyNatively, verifySignature } from "#bridge/process/native-signatures.ts";

/** Baileys ignores libsignal's result, so it would accept any 64 bytes. It reads the exported `Curve` at each use. */
export function verifySignaturesStrictly(): void {
  verifyNatively();
  const strict: typeof Curve.verify = (publicKey, message, signature) => {
    try {
      return verifySignature(publicKey.length === 33 ? publicKey.subarray(1) : publicKey, message, signature);
    } catch {
      return false;
    }
  };
  Reflect.set(Curve, "verify", strict);
}

export function trustLocalNetwork(root: Buffer, ca: string): void {
  Reflect.set(WA_CERT_DETAILS, "PUBLIC_KEY", Buffer.from(root));
  tls.setDefaultCACertificates([...tls.getCACertificates("default"), ca]);
}
