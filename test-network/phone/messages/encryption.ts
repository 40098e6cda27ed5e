import { encodeSignedDeviceIdentity, encodeWAMessage, generateSignalPubKey, jidEncode, type BinaryNode, type proto } from "baileys";
import type { PhoneDependencies } from "../dependencies.ts";

export type DeviceAddress = {
  pn: string;
  device: number;
};

/** Returns an `enc` node for one device, or null if the device has published no keys. */
export async function seal(phone: PhoneDependencies, to: DeviceAddress, message: proto.IMessage): Promise<BinaryNode | null> {
  const jid = await sessionWith(phone, to);
  if (jid === null) return null;
  const { type, ciphertext } = await phone.signal.encryptMessage({ jid, data: encodeWAMessage(message) });
  return { tag: "enc", attrs: { v: "2", type }, content: ciphertext };
}

/** Encrypts, then restores the session state, as if from a backup. The next message then has the same counter. */
export async function sealAndForget(phone: PhoneDependencies, to: DeviceAddress, message: proto.IMessage): Promise<BinaryNode | null> {
  const jid = await sessionWith(phone, to);
  if (jid === null) return null;
  const address = phone.signal.jidToSignalProtocolAddress(jid);
  const before = structuredClone(phone.keys.get("session", [address]));
  const enc = await seal(phone, to, message);
  phone.keys.set({ session: before });
  return enc;
}

/** Proves the sender's identity to devices without a session. Every first message must contain it. */
export function identityProof(phone: PhoneDependencies, sealed: readonly BinaryNode[]): BinaryNode[] {
  const { account } = phone.identity.creds;
  if (!account || !sealed.some((enc) => enc.attrs["type"] === "pkmsg")) return [];
  return [{ tag: "device-identity", attrs: {}, content: encodeSignedDeviceIdentity(account, true) }];
}

/** Sessions are stored under the LID, as in current clients. */
function sessionJid(phone: PhoneDependencies, { pn, device }: DeviceAddress): string | null {
  const person = phone.link.directory.find(jidEncode(pn, "s.whatsapp.net"));
  return person ? jidEncode(person.lid, "lid", device) : null;
}

/** Makes the next message start a new session. */
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
