// The media host's certificate, signed by our own CA (docs/internals/wire-protocol.md, "Media").
import "reflect-metadata";
import { createHash, webcrypto } from "node:crypto";
import {
  BasicConstraintsExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { DAY_MS } from "@gateway/protocol/units.ts";

export type TlsIdentity = {
  caPem: string;
  keyPem: string;
  certPem: string;
};
export type CertificateAuthority = {
  caPem: string;
  keyPem: string;
};

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** Each CA has its own name, so that a process trusting two networks does not check one's signature with the other's key. */
export async function createAuthority(): Promise<CertificateAuthority> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const publicKey = Buffer.from(await webcrypto.subtle.exportKey("spki", keys.publicKey));
  const name = `CN=Local Test Network ${createHash("sha256").update(publicKey).digest("hex").slice(0, 12)}`;
  const certificate = await X509CertificateGenerator.createSelfSigned({
    keys,
    name,
    ...validity(),
    signingAlgorithm: ALGORITHM,
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
  });
  return { caPem: certificate.toString("pem"), keyPem: await pemOf(keys.privateKey) };
}

export async function createTlsIdentity(authority: CertificateAuthority, address: string): Promise<TlsIdentity> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.create({
    subject: "CN=localhost",
    issuer: new X509Certificate(authority.caPem).subject,
    publicKey: keys.publicKey,
    signingKey: await webcrypto.subtle.importKey("pkcs8", PemConverter.decodeFirst(authority.keyPem), ALGORITHM, false, ["sign"]),
    ...validity(),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new SubjectAlternativeNameExtension([
        { type: "dns", value: "localhost" },
        { type: "ip", value: address },
      ]),
    ],
  });
  return { caPem: authority.caPem, keyPem: await pemOf(keys.privateKey), certPem: certificate.toString("pem") };
}

/** Valid for ten years, and backdated by a day because of clock skew. */
function validity(): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - DAY_MS), notAfter: new Date(now + 3650 * DAY_MS) };
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  return PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", key), PemConverter.PrivateKeyTag);
}
