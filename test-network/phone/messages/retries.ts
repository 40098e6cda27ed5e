import {
  Curve,
  encodeBigEndian,
  encodeSignedDeviceIdentity,
  extractE2ESessionFromRetryReceipt,
  isJidGroup,
  jidDecode,
  jidNormalizedUser,
  proto,
  type BinaryNode,
} from "baileys";
import { child, node } from "../../node.ts";
import { isSharedChat, personOf, STATUS_FEED } from "../addresses.ts";
import { dropKeyHolder, groupSelf } from "./dispatch.ts";
import { stanzaTypeOf } from "./outgoing-content.ts";
import type { PhoneDependencies } from "../dependencies.ts";
import { acknowledge } from "./receipts.ts";
import { forgetSession, identityProof, seal, type DeviceAddress } from "./encryption.ts";

const MAX_RETRIES = 5;
const KEY_BUNDLE_TYPE = Buffer.from([5]);

/** Asks the sender for a message again, with fresh keys for a new session. */
export async function askForRetry(phone: PhoneDependencies, stanza: BinaryNode): Promise<void> {
  const { id = "", from, participant, recipient, t } = stanza.attrs;
  const asked = phone.documents.get("retry", `${participant ?? from}|${id}`)?.count ?? 0;
  if (asked >= MAX_RETRIES || stanza.attrs["category"] === "peer") return acknowledge(phone, stanza);
  const count = asked + 1;
  const preKey = freshPreKey(phone);
  const { creds } = phone.identity;
  phone.commit(() => {
    phone.documents.put("retry", `${participant ?? from}|${id}`, { count });
    phone.saveIdentity();
  });
  phone.counters.retriesAsked += 1;
  phone.link.send(
    node("receipt", { id, to: from, type: "retry", participant, recipient }, [
      node("retry", { count: String(count), id, t, v: "1", error: "0" }),
      node("registration", {}, encodeBigEndian(creds.registrationId)),
      node("keys", {}, [
        node("type", {}, KEY_BUNDLE_TYPE),
        node("identity", {}, creds.signedIdentityKey.public),
        node("key", {}, [node("id", {}, encodeBigEndian(preKey.id, 3)), node("value", {}, preKey.public)]),
        node("skey", {}, [
          node("id", {}, encodeBigEndian(creds.signedPreKey.keyId, 3)),
          node("value", {}, creds.signedPreKey.keyPair.public),
          node("signature", {}, creds.signedPreKey.signature),
        ]),
        ...(creds.account ? [node("device-identity", {}, encodeSignedDeviceIdentity(creds.account, true))] : []),
      ]),
    ]),
  );
  // The receipt requests another copy. The ack removes the unreadable one from the queue.
  acknowledge(phone, stanza);
}

/** Resends the message only to the requesting device, in a new session. */
export async function answerRetry(phone: PhoneDependencies, receipt: BinaryNode): Promise<void> {
  const asker = askerOf(phone, receipt);
  const stored = phone.messages.findAnywhere(receipt.attrs["id"] ?? "");
  if (!asker || !stored?.record.from_me) return acknowledge(phone, receipt);
  const { jid, address } = asker;
  const chat = stored.record.wire.chat;
  await startAnew(phone, address, receipt);
  const message = await contentFor(phone, address, chat, proto.Message.decode(stored.content));
  const sealed = await seal(phone, address, message);
  if (!sealed) return acknowledge(phone, receipt);
  const enc = { ...sealed, attrs: { ...sealed.attrs, count: child(receipt, "retry")?.attrs["count"] ?? "1" } };
  if (isSharedChat(chat)) dropKeyHolder(phone, chat, address);
  phone.commit(() => {});
  phone.counters.retriesAnswered += 1;
  acknowledge(phone, receipt);
  phone.link.send(
    node(
      "message",
      {
        id: stored.record.message_id,
        type: stanzaTypeOf(message),
        ...destination(phone, chat, jid, address),
      },
      [enc, ...identityProof(phone, [enc])],
    ),
  );
}

function askerOf(phone: PhoneDependencies, receipt: BinaryNode): { jid: string; address: DeviceAddress } | null {
  const jid = receipt.attrs["participant"] ?? receipt.attrs["from"] ?? "";
  const decoded = jidDecode(jid);
  return decoded ? { jid, address: { pn: personOf(jid, phone.link.directory), device: decoded.device ?? 0 } } : null;
}

async function startAnew(phone: PhoneDependencies, address: DeviceAddress, receipt: BinaryNode): Promise<void> {
  const bundle = extractE2ESessionFromRetryReceipt(receipt);
  const person = phone.link.directory.find(`${address.pn}@s.whatsapp.net`);
  await forgetSession(phone, address);
  if (!bundle || !person) return;
  const { preKey, ...session } = bundle;
  const jid = `${person.lid}${address.device > 0 ? `:${address.device}` : ""}@lid`;
  await phone.signal.injectE2ESession({ jid, session: { ...session, ...(preKey && { preKey }) } });
}

async function contentFor(phone: PhoneDependencies, to: DeviceAddress, chat: string, message: proto.IMessage): Promise<proto.IMessage> {
  if (!isSharedChat(chat)) return to.pn === phone.pn ? { deviceSentMessage: { destinationJid: chat, message } } : message;
  const meId = chat === STATUS_FEED ? phone.jid : groupSelf(phone, chat);
  const key = await phone.signal.getSenderKeyDistributionMessage({ group: chat, meId });
  return { ...message, senderKeyDistributionMessage: { groupId: chat, axolotlSenderKeyDistributionMessage: key } };
}

function destination(phone: PhoneDependencies, chat: string, jid: string, { pn }: DeviceAddress): Record<string, string> {
  if (isJidGroup(chat) || chat === STATUS_FEED) return { to: chat, participant: jid };
  return pn === phone.pn ? { to: jid, recipient: jidNormalizedUser(chat) } : { to: jid };
}

function freshPreKey(phone: PhoneDependencies): { id: number; public: Uint8Array } {
  const { creds } = phone.identity;
  const id = creds.nextPreKeyId;
  const pair = Curve.generateKeyPair();
  creds.nextPreKeyId = id + 1;
  phone.keys.set({ "pre-key": { [String(id)]: pair } });
  return { id, public: pair.public };
}

/** Deletes the sessions with a contact's devices, to simulate damaged storage. */
export async function loseSessions(phone: PhoneDependencies, pn: string): Promise<number> {
  const devices = phone.link.devicesOf(pn);
  for (const device of devices) await forgetSession(phone, { pn, device });
  phone.commit(() => {});
  return devices.length;
}
