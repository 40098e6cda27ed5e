// The phone's side of linking by passkey. Both sides agree on a key, and the device sends the content of a QR code.
import { createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { Curve, proto } from "baileys";
import type { CeremonySteps, Passkey } from "../pairing/passkey-ceremony.ts";
import { done, refused, type Outcome } from "./refusal.ts";

export type CompanionCeremony = {
  readonly steps: CeremonySteps;
  begin(): void;
  continue(primaryIdentity: Uint8Array): void;
};

export type { Passkey };

type Confirmed = { identity: Buffer; advSecret: Buffer };

const GONE = refused(504, "device_gone", "the device went away while it was being linked");
const FALSE = refused(403, "wrong_passkey", "the device's proofs do not match");

/** `advSecret` is the secret from the QR or pairing code. The device proves that it knew this secret, and sends a new one. */
export async function confirmWithPasskey(
  ceremony: CompanionCeremony,
  companion: { noiseKey: Uint8Array },
  advSecret: Buffer,
): Promise<Outcome<Confirmed>> {
  ceremony.begin();
  const prologue = await ceremony.steps.prologue;
  if (prologue === null) return GONE;
  const handoffKey = Buffer.from(hkdfSync("sha256", advSecret, Buffer.alloc(0), "shortcake-passkey-handoff-v1", 32));
  if (prologue.proof === null || !createHmac("sha256", handoffKey).update(prologue.payload).digest().equals(prologue.proof)) return FALSE;
  const { companionEphemeralIdentity: encoded, commitment } = proto.ProloguePayload.decode(prologue.payload);
  const identity = Buffer.from(encoded ?? Buffer.alloc(0));
  const { publicKey, deviceType, ref } = proto.CompanionEphemeralIdentity.decode(identity);
  if (publicKey?.length !== 32) return FALSE;
  const ephemeral = Curve.generateKeyPair();
  ceremony.continue(proto.PrimaryEphemeralIdentity.encode({ publicKey: ephemeral.public, nonce: randomBytes(32) }).finish());
  const nonce = await ceremony.steps.nonce;
  if (nonce === null) return GONE;
  const committed = createHash("sha256").update(identity).update(nonce).digest();
  if (!committed.equals(Buffer.from(commitment?.hash ?? Buffer.alloc(0)))) return FALSE;
  const encrypted = await ceremony.steps.request;
  if (encrypted === null) return GONE;
  const salt = `Companion Pairing ${deviceType ?? 0} with ref ${ref ?? ""}`;
  const key = hkdfSync("sha256", Curve.sharedKey(ephemeral.private, publicKey), salt, "Pairing Information Encryption Key", 32);
  return read(Buffer.from(key), encrypted, companion);
}

function read(key: Buffer, encrypted: Buffer, companion: { noiseKey: Uint8Array }): Outcome<Confirmed> {
  const { encryptedPayload, iv } = proto.EncryptedPairingRequest.decode(encrypted);
  const sealed = Buffer.from(encryptedPayload ?? Buffer.alloc(0));
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, iv ?? Buffer.alloc(0));
    decipher.setAuthTag(sealed.subarray(-16));
    const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
    const request = proto.PairingRequest.decode(plain);
    const { companionPublicKey: noise, companionIdentityKey: identity, advSecret } = request;
    if (!noise || !identity || !advSecret || !Buffer.from(noise).equals(companion.noiseKey)) return FALSE;
    return done({ identity: Buffer.from(identity), advSecret: Buffer.from(advSecret) });
  } catch {
    return FALSE;
  }
}
