// What makes this network this network: the Noise root that clients pin and the CA they trust. Kept, so that a client
// which was set up once goes on trusting it after a restart.
import { Curve, type KeyPair } from "baileys";
import type { Store } from "../store/store.ts";
import { mintNoiseChain } from "./noise-certificate.ts";
import { mintAuthority, mintTlsIdentity, type CertificateAuthority, type TlsIdentity } from "./tls.ts";

export interface NetworkIdentity {
  rootPublicKey: Uint8Array;
  staticKey: KeyPair;
  noiseChain: Uint8Array;
  tls: TlsIdentity;
}

export function loadIdentity(store: Store, address: string): NetworkIdentity {
  const root = keyPair(store, "noise-root");
  const staticKey = keyPair(store, "noise-static");
  return {
    rootPublicKey: root.public,
    staticKey,
    noiseChain: mintNoiseChain(root, staticKey),
    tls: mintTlsIdentity(authority(store), address),
  };
}

function keyPair(store: Store, name: string): KeyPair {
  const kept = store.setting(name);
  if (kept) return { private: kept.subarray(0, 32), public: kept.subarray(32) };
  const made = Curve.generateKeyPair();
  store.saveSetting(name, Buffer.concat([made.private, made.public]));
  return made;
}

function authority(store: Store): CertificateAuthority {
  const caPem = store.setting("tls-ca")?.toString();
  const keyPem = store.setting("tls-ca-key")?.toString();
  if (caPem && keyPem) return { caPem, keyPem };
  const made = mintAuthority();
  store.saveSetting("tls-ca", Buffer.from(made.caPem));
  store.saveSetting("tls-ca-key", Buffer.from(made.keyPem));
  return made;
}
