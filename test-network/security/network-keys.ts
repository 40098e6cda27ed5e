// The Noise root that clients pin, and the CA that they trust. Both are stored, so that clients also trust the network after a restart.
import { Curve, type KeyPair, proto } from "baileys";
import type { Store } from "../store/store.ts";
import { createAuthority, createTlsIdentity, type CertificateAuthority, type TlsIdentity } from "./tls.ts";
import { DAY_SECONDS } from "@gateway/protocol/units.ts";

const YEAR_SECONDS = 365 * DAY_SECONDS;

export type NetworkIdentity = {
  rootPublicKey: Uint8Array;
  staticKey: KeyPair;
  noiseChain: Uint8Array;
  tls: TlsIdentity;
};

export async function loadIdentity(store: Store, address: string): Promise<NetworkIdentity> {
  const root = keyPair(store, "noise-root");
  const staticKey = keyPair(store, "noise-static");
  return {
    rootPublicKey: root.public,
    staticKey,
    noiseChain: mintNoiseChain(root, staticKey),
    tls: await createTlsIdentity(await authority(store), address),
  };
}

function keyPair(store: Store, name: string): KeyPair {
  const stored = store.setting(name);
  if (stored) return { private: stored.subarray(0, 32), public: stored.subarray(32) };
  const made = Curve.generateKeyPair();
  store.saveSetting(name, Buffer.concat([made.private, made.public]));
  return made;
}

async function authority(store: Store): Promise<CertificateAuthority> {
  const caPem = store.setting("tls-ca")?.toString();
  const keyPem = store.setting("tls-ca-key")?.toString();
  if (caPem && keyPem) return { caPem, keyPem };
  const made = await createAuthority();
  store.saveSetting("tls-ca", Buffer.from(made.caPem));
  store.saveSetting("tls-ca-key", Buffer.from(made.keyPem));
  return made;
}

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
