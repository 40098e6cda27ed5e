// The Noise root that clients pin and the CA they trust. Both are stored, so that clients still trust the network after a restart.
import { Curve, type KeyPair } from "baileys";
import type { Store } from "../store/store.ts";
import { mintNoiseChain } from "./noise-certificate.ts";
import { createAuthority, createTlsIdentity, type CertificateAuthority, type TlsIdentity } from "./tls.ts";

export interface NetworkIdentity {
  rootPublicKey: Uint8Array;
  staticKey: KeyPair;
  noiseChain: Uint8Array;
  tls: TlsIdentity;
}

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
