import { Curve, proto, type KeyPair } from "baileys";
import { DAY_SECONDS } from "@gateway/protocol/units.ts";

const YEAR_SECONDS = 365 * DAY_SECONDS;

export function mintNoiseChain(root: KeyPair, staticKey: KeyPair): Uint8Array {
  const intermediate = Curve.generateKeyPair();
  const now = Math.floor(Date.now() / 1000);
  const validity = { notBefore: now - 60, notAfter: now + 10 * YEAR_SECONDS };
  const { Details } = proto.CertChain.NoiseCertificate;
  const details = Details.encode({ serial: 1, issuerSerial: 0, key: intermediate.public, ...validity }).finish();
  const leafDetails = Details.encode({ serial: 2, issuerSerial: 1, key: staticKey.public, ...validity }).finish();
  return proto.CertChain.encode({
    intermediate: { details, signature: Curve.sign(root.private, details) },
    leaf: { details: leafDetails, signature: Curve.sign(intermediate.private, leafDetails) },
  }).finish();
}
