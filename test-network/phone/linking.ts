// Links a device by scanning its QR code or typing its pairing code (docs/internals/wire-protocol.md, "Pairing").
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, pbkdf2, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { Curve, proto, WA_ADV_DEVICE_SIG_PREFIX } from "baileys";
import { verify } from "curve25519-js";
import { signDevice } from "./phone-keys.ts";
import type { PhoneDependencies } from "./dependencies.ts";
import { confirmWithPasskey } from "./passkey.ts";
import { done, refused, type Outcome } from "./refusal.ts";
import type { WaitingCompanion } from "./uplink.ts";

const stretch = promisify(pbkdf2);
const ROUNDS = 131_072;

export type Linked = {
  device: number;
};

/** QR text of the form `<ref>,<noise key>,<identity key>,<adv secret>,<platform>`, with or without a leading link. */
export async function scanQr(phone: PhoneDependencies, qr: string): Promise<Outcome<Linked>> {
  const [ref, noise, identity, advSecret] = qr.replace(/^.*#/s, "").trim().split(",");
  if (!ref || !noise || !identity || !advSecret) return refused(400, "bad_qr", "this is not the text of a pairing QR code");
  const companion = phone.link.waitingCompanion(ref);
  if (!companion) return refused(410, "qr_expired", "the QR code is no longer valid");
  if (!same(companion.noiseKey, Buffer.from(noise, "base64")))
    return refused(400, "bad_qr", "the QR code does not belong to the device that shows it");
  return link(phone, companion, Buffer.from(identity, "base64"), Buffer.from(advSecret, "base64"));
}

export async function enterCode(phone: PhoneDependencies, code: string): Promise<Outcome<Linked>> {
  const request = phone.link.codeRequest();
  if (!request) return refused(410, "code_expired", "no device waits to be linked with a code");
  const ephemeral = Curve.generateKeyPair();
  const companionEphemeral = await unwrap(code, request.wrappedEphemeral);
  const account = phone.identity.creds.signedIdentityKey;
  const answer = await request.answer({ wrappedEphemeral: await wrap(code, ephemeral.public), identity: account.public });
  if (!answer) return refused(504, "device_gone", "the device went away while it was being linked");
  const shared = Curve.sharedKey(ephemeral.private, companionEphemeral);
  const bundle = openBundle(Buffer.from(answer.bundle), shared);
  const companionIdentity = Buffer.from(answer.identity);
  if (!bundle?.companion.equals(companionIdentity) || !bundle.primary.equals(account.public))
    return refused(403, "wrong_code", "this is not the code that the device shows");
  const secret = Buffer.concat([shared, Curve.sharedKey(account.private, companionIdentity), bundle.random]);
  return link(phone, request.companion, companionIdentity, Buffer.from(hkdfSync("sha256", secret, Buffer.alloc(0), "adv_secret", 32)));
}

async function link(
  phone: PhoneDependencies,
  companion: WaitingCompanion,
  identityKey: Buffer,
  advSecret: Buffer,
): Promise<Outcome<Linked>> {
  const { creds, options } = phone.identity;
  if (options.passkey) {
    const confirmed = await confirmWithPasskey(companion.askPasskey(options.passkey), companion, advSecret);
    if (!confirmed.ok) return confirmed;
    identityKey = confirmed.value.identity;
    advSecret = confirmed.value.advSecret;
  }
  const device = phone.link.nextDeviceId();
  const signed = signDevice(creds, identityKey, device);
  const details = Buffer.from(proto.ADVSignedDeviceIdentity.encode(signed).finish());
  const hmac = createHmac("sha256", advSecret).update(details).digest();
  const countersigned = await companion.link({
    device,
    deviceIdentity: proto.ADVSignedDeviceIdentityHMAC.encode({ details, hmac }).finish(),
  });
  // A device with a wrong secret does not reply, because it cannot verify the HMAC.
  if (!countersigned) return refused(504, "device_gone", "the device did not accept the link");
  const { deviceSignature } = proto.ADVSignedDeviceIdentity.decode(countersigned);
  const covered = Buffer.concat([WA_ADV_DEVICE_SIG_PREFIX, signed.details ?? Buffer.alloc(0), identityKey, creds.signedIdentityKey.public]);
  // The library's `Curve.verify` accepts any signature (docs/internals/baileys.md, "Defects of the libraries"), so it is not used here.
  if (!deviceSignature || !verify(identityKey, covered, deviceSignature))
    return refused(400, "bad_signature", "the device's signature is wrong");
  phone.link.addCompanion({ id: device, noiseKey: companion.noiseKey, platform: companion.platform });
  return done({ device });
}

type Bundle = {
  companion: Buffer;
  primary: Buffer;
  random: Buffer;
};

function openBundle(bundle: Buffer, shared: Uint8Array): Bundle | null {
  const key = hkdfSync("sha256", shared, bundle.subarray(0, 32), "link_code_pairing_key_bundle_encryption_key", 32);
  const decipher = createDecipheriv("aes-256-gcm", Buffer.from(key), bundle.subarray(32, 44));
  const ciphertext = bundle.subarray(44);
  try {
    decipher.setAuthTag(ciphertext.subarray(-16));
    const plain = Buffer.concat([decipher.update(ciphertext.subarray(0, -16)), decipher.final()]);
    return { companion: plain.subarray(0, 32), primary: plain.subarray(32, 64), random: plain.subarray(64) };
  } catch {
    return null;
  }
}

async function wrap(code: string, publicKey: Uint8Array): Promise<Buffer> {
  const salt = randomBytes(32);
  const iv = randomBytes(16);
  const cipher = createCipheriv("aes-256-ctr", await stretch(code, salt, ROUNDS, 32, "sha256"), iv);
  return Buffer.concat([salt, iv, cipher.update(publicKey), cipher.final()]);
}

async function unwrap(code: string, wrapped: Uint8Array): Promise<Buffer> {
  const key = await stretch(code, wrapped.subarray(0, 32), ROUNDS, 32, "sha256");
  const decipher = createDecipheriv("aes-256-ctr", key, wrapped.subarray(32, 48));
  return Buffer.concat([decipher.update(wrapped.subarray(48, 80)), decipher.final()]);
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.from(a).equals(b);
}
