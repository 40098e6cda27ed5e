// Turns a message into one stanza with its recipients and their ciphertexts. The server distributes it but cannot read it.
import { encodeNewsletterMessage, encodeWAMessage, isJidGroup, isJidNewsletter, jidEncode, type BinaryNode, type proto } from "baileys";
import { STATUS_FEED } from "../addresses.ts";
import { stanzaTypeOf } from "./outgoing-content.ts";
import type { PhoneDependencies } from "../dependencies.ts";
import { identityProof, seal, sealAndForget, type DeviceAddress } from "./encryption.ts";

export type Parcel = {
  id: string;
  chat: string;
  message: proto.IMessage;
  /** The `edit` code on the wire: 1 for an edit, 2 for a pin, and 7 (own) or 8 (as admin) for a deletion. */
  edit?: "1" | "2" | "7" | "8";
  audience?: readonly string[];
  /** The recipient's linked devices are notified of a message, but do not receive its content. */
  withheld?: Withheld;
  /** Copies for the owner's devices contain the context outside the wrapped message. */
  contextBeside?: boolean;
  /** Discards the session state afterwards, so that the next message reuses the counter. */
  counterForgotten?: boolean;
};

/** `ad` is a reply to an advertisement, and `view_once` a view-once message. Only the phone can read either of them. */
export type Withheld = "ad" | "view_once";

/** Advances ratchets, so commit before sending the stanza. */
export async function dispatch(phone: PhoneDependencies, parcel: Parcel): Promise<BinaryNode> {
  const { chat } = parcel;
  if (isJidNewsletter(chat)) return stanza(parcel, [{ tag: "plaintext", attrs: {}, content: encodeNewsletterMessage(parcel.message) }]);
  if (chat === STATUS_FEED) return dispatchShared(phone, parcel, devicesOfAll(phone, parcel.audience ?? []), "everyone");
  if (isJidGroup(chat)) {
    const members = phone.link.group(chat)?.members.keys() ?? [phone.pn];
    return dispatchShared(phone, parcel, devicesOfAll(phone, [...members]), "newcomers");
  }
  return dispatchDirect(phone, parcel);
}

async function dispatchDirect(phone: PhoneDependencies, parcel: Parcel): Promise<BinaryNode> {
  const target = phone.link.directory.find(parcel.chat)?.pn;
  const { messageContextInfo: context, ...bare } = parcel.message;
  const ownCopy: proto.IMessage =
    parcel.contextBeside && context
      ? { deviceSentMessage: { destinationJid: parcel.chat, message: bare }, messageContextInfo: context }
      : { deviceSentMessage: { destinationJid: parcel.chat, message: parcel.message } };
  const readers = target === undefined || target === phone.pn ? [phone.pn] : [target, phone.pn];
  const devices = devicesOfAll(phone, readers);
  const sealed = await sealForAll(phone, devices, ({ pn }) => (pn === phone.pn ? ownCopy : parcel.message), parcel.counterForgotten);
  return stanza(parcel, [
    participants(phone, parcel.withheld ? sealed.map((one) => (isLinked(phone, one.to) ? withhold(one, parcel.withheld) : one)) : sealed),
    ...identityProof(
      phone,
      sealed.map(({ enc }) => enc),
    ),
  ]);
}

const isLinked = (phone: PhoneDependencies, { pn, device }: DeviceAddress): boolean => pn !== phone.pn && device !== 0;

function withhold({ to }: Sealed, what: Withheld | undefined): Sealed {
  return { to, enc: { tag: "unavailable", attrs: what === "view_once" ? { type: "view_once_unavailable_fanout" } : {} } };
}

// Encrypts once with the sender key, and sends that key to devices that lack it.
async function dispatchShared(
  phone: PhoneDependencies,
  parcel: Parcel,
  devices: readonly DeviceAddress[],
  keyGoesTo: "everyone" | "newcomers",
): Promise<BinaryNode> {
  const { ciphertext, senderKeyDistributionMessage } = await phone.signal.encryptGroupMessage({
    group: parcel.chat,
    meId: groupSelf(phone, parcel.chat),
    data: encodeWAMessage(parcel.message),
  });
  const holders = keyGoesTo === "everyone" ? {} : keyHolders(phone, parcel.chat);
  const newcomers = devices.filter((device) => !holders[holderName(device)]);
  const keyMessage = {
    senderKeyDistributionMessage: { groupId: parcel.chat, axolotlSenderKeyDistributionMessage: senderKeyDistributionMessage },
  };
  const sealed = await sealForAll(phone, newcomers, () => keyMessage);
  for (const { to } of sealed) holders[holderName(to)] = true;
  phone.keys.set({ "sender-key-memory": { [parcel.chat]: holders } });
  return stanza(parcel, [
    ...(sealed.length > 0 ? [participants(phone, sealed)] : []),
    { tag: "enc", attrs: { v: "2", type: "skmsg" }, content: ciphertext },
    ...identityProof(
      phone,
      sealed.map(({ enc }) => enc),
    ),
  ]);
}

/** The JID under which this phone's sender key for a group is stored. */
export function groupSelf(phone: PhoneDependencies, group: string): string {
  return phone.link.group(group)?.addressing === "lid" ? phone.lid : phone.jid;
}

/** Makes the next message include the sender key for this device again, after a retry request or a key rotation. */
export function dropKeyHolder(phone: PhoneDependencies, group: string, device: DeviceAddress): void {
  phone.keys.set({ "sender-key-memory": { [group]: { ...keyHolders(phone, group), [holderName(device)]: false } } });
}

/** Call it when a member has left, because later messages need a key that this member never had. */
export function rotateSenderKey(phone: PhoneDependencies, group: string): void {
  const address = phone.signal.jidToSignalProtocolAddress(groupSelf(phone, group));
  phone.keys.set({
    "sender-key": { [`${group}::${address.replace(/\.(\d+)$/, "::$1")}`]: null },
    "sender-key-memory": { [group]: null },
  });
}

function devicesOfAll(phone: PhoneDependencies, people: readonly string[]): DeviceAddress[] {
  return people
    .flatMap((pn) => phone.link.devicesOf(pn).map((device) => ({ pn, device })))
    .filter(({ pn, device }) => pn !== phone.pn || device !== 0);
}

type Sealed = {
  to: DeviceAddress;
  enc: BinaryNode;
};

// Encrypts for one device at a time, because each session step must start from the previous one.
async function sealForAll(
  phone: PhoneDependencies,
  devices: readonly DeviceAddress[],
  messageFor: (to: DeviceAddress) => proto.IMessage,
  forgetsCounter = false,
): Promise<Sealed[]> {
  const sealed: Sealed[] = [];
  for (const to of devices) {
    const enc = await (forgetsCounter ? sealAndForget : seal)(phone, to, messageFor(to));
    if (enc) sealed.push({ to, enc });
  }
  return sealed;
}

function participants(phone: PhoneDependencies, sealed: readonly Sealed[]): BinaryNode {
  const content = sealed.map(({ to, enc }) => ({ tag: "to", attrs: { jid: deviceJid(phone, to) }, content: [enc] }));
  return { tag: "participants", attrs: {}, content };
}

function deviceJid(phone: PhoneDependencies, { pn, device }: DeviceAddress): string {
  const person = phone.link.addressesByLid() ? phone.link.directory.find(jidEncode(pn, "s.whatsapp.net")) : undefined;
  return person ? jidEncode(person.lid, "lid", device) : jidEncode(pn, "s.whatsapp.net", device);
}

function stanza(parcel: Parcel, content: BinaryNode[]): BinaryNode {
  const type = stanzaTypeOf(parcel.message);
  const poll = parcel.message.pollCreationMessage ?? parcel.message.pollCreationMessageV3;
  const meta = poll ? [{ tag: "meta", attrs: { polltype: "creation" } }] : [];
  return {
    tag: "message",
    attrs: { to: parcel.chat, id: parcel.id, type, ...(parcel.edit && { edit: parcel.edit }) },
    content: [...content, ...meta],
  };
}

/** Devices that have this phone's sender key for a group. Stored with the keys, so that both change together. */
function keyHolders(phone: PhoneDependencies, group: string): { [device: string]: boolean } {
  return phone.keys.get("sender-key-memory", [group])[group] ?? {};
}

function holderName({ pn, device }: DeviceAddress): string {
  return `${pn}:${device}`;
}
