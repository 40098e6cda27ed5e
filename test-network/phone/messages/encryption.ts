// Encrypting one message for one device, with the Signal code that Baileys itself uses.
import { encodeSignedDeviceIdentity, encodeWAMessage, generateSignalPubKey, jidEncode, type BinaryNode, type proto } from "baileys";
import type { PhoneDependencies } from "../dependencies.ts";

/** A device of a person, by phone number and device number. */
export interface DeviceAddress {
  pn: string;
  device: number;
}

/** An `enc` node for one device, or null when the device has published no keys. */
export async function seal(phone: PhoneDependencies, to: DeviceAddress, message: proto.IMessage): Promise<BinaryNode | null> {
  const jid = await sessionWith(phone, to);
  if (jid === null) return null;
  const { type, ciphertext } = await phone.signal.encryptMessage({ jid, data: encodeWAMessage(message) });
  return { tag: "enc", attrs: { v: "2", type }, content: ciphertext };
}

/** Seals without remembering it, as a phone does that was restored from a backup: the next message has the same counter. */
export async function sealAndForget(phone: PhoneDependencies, to: DeviceAddress, message: proto.IMessage): Promise<BinaryNode | null> {
  const jid = await sessionWith(phone, to);
  if (jid === null) return null;
  const address = phone.signal.jidToSignalProtocolAddress(jid);
  const before = structuredClone(phone.keys.get("session", [address]));
  const enc = await seal(phone, to, message);
  phone.keys.set({ session: before });
  return enc;
}

/** Proves to a device that has no session yet who speaks; needed with every first message. */
export function identityProof(phone: PhoneDependencies, sealed: readonly BinaryNode[]): BinaryNode[] {
  const { account } = phone.identity.creds;
  if (!account || !sealed.some((enc) => enc.attrs["type"] === "pkmsg")) return [];
  return [{ tag: "device-identity", attrs: {}, content: encodeSignedDeviceIdentity(account, true) }];
}

/** The jid that names a device's session: always by LID, as current clients do. */
function sessionJid(phone: PhoneDependencies, { pn, device }: DeviceAddress): string | null {
  const person = phone.link.directory.find(jidEncode(pn, "s.whatsapp.net"));
  return person ? jidEncode(person.lid, "lid", device) : null;
}

/** Drops a session, so that the next message starts a new one. */
export async function forgetSession(phone: PhoneDependencies, to: DeviceAddress): Promise<void> {
  const jid = sessionJid(phone, to);
  if (jid !== null) await phone.signal.deleteSession([jid]);
}

async function sessionWith(phone: PhoneDependencies, to: DeviceAddress): Promise<string | null> {
  const jid = sessionJid(phone, to);
  if (jid === null) return null;
  if ((await phone.signal.validateSession(jid)).exists) return jid;
  const bundle = phone.link.bundleOf(to.pn, to.device);
  if (!bundle) return null;
  const { registrationId, identityKey, skey, key } = bundle;
  await phone.signal.injectE2ESession({
    jid,
    session: {
      registrationId,
      identityKey: generateSignalPubKey(identityKey),
      signedPreKey: { keyId: skey.id, publicKey: generateSignalPubKey(skey.value), signature: skey.signature },
      ...(key && { preKey: { keyId: key.id, publicKey: generateSignalPubKey(key.value) } }),
    },
  });
  return jid;
}
