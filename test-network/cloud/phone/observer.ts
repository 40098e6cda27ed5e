// Turns events on a number's phone into webhooks, in the same transaction in which the phone stores them.
import { normalizeMessageContent, proto, type BinaryNode } from "baileys";
import { nowSeconds, type ObservedMessage, type PhoneDependencies, type PhoneObserver } from "../../phone/dependencies.ts";
import type { MessageRecord, ReceiptRecord } from "../../phone/store/messages.ts";
import type { CallDocument } from "../../phone/views.ts";
import type { CloudNetwork } from "../cloud-network.ts";
import type { CloudNumber } from "../model.ts";
import { reportStatus } from "../statuses.ts";
import { baseOf, contentOf, unsupported, type About } from "./inbound.ts";
import { wamidOf, callIdOf } from "../ids.ts";
import { reportGroup } from "./groups.ts";

/** A minimal SDP for calls, which have no audio. */
const SDP = "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=rtpmap:111 opus/48000/2\r\n";

const { Type } = proto.Message.ProtocolMessage;
type Fields = Record<string, unknown>;

const STATUSES: ReadonlySet<string> = new Set(["delivered", "read", "played"]);

export function observerOf(cloud: CloudNetwork): PhoneObserver {
  const ofNumbers =
    <T>(report: (number: CloudNumber, phone: PhoneDependencies, what: T) => void) =>
    (phone: PhoneDependencies, what: T): void => {
      const number = cloud.numberOf(phone.pn);
      if (number) report(number, phone, what);
    };
  return {
    onMessage: ofNumbers<ObservedMessage>((number, phone, observed) => {
      if (observed.envelope.from_me) ownMessage(cloud, number, phone, observed);
      else inbound(cloud, number, phone, observed);
    }),
    onReceipt: ofNumbers<ReceiptRecord>((number, phone, { message_id, from, kind, timestamp: at }) => {
      const sent = STATUSES.has(kind) ? cloud.documents.get("sent", `${phone.pn}|${message_id}`) : null;
      if (sent) reportStatus(cloud, number, sent, { status: kind as "delivered", at, from });
    }),
    onCall: ofNumbers<CallDocument>((number, phone, call) => reportCall(cloud, number, phone, call)),
    onGroup: ofNumbers<BinaryNode>((number, phone, notification) => reportGroup(cloud, number, phone, notification)),
  };
}

/** Settles messages sent by Graph. Messages written on the phone are echoed if the number is also in a business app. */
function ownMessage(cloud: CloudNetwork, number: CloudNumber, phone: PhoneDependencies, observed: ObservedMessage): void {
  const { envelope, filed } = observed;
  const sent = cloud.sending.get(envelope.message_id);
  if (sent) {
    cloud.documents.put("sent", `${phone.pn}|${sent.message_id}`, sent);
    return reportStatus(cloud, number, sent, { status: "sent", at: sent.at, from: null });
  }
  if (!number.coexistence) return;
  const peer = envelope.chat_id.replace(/@.*$/, "");
  const fields =
    filed.kind === "message" ? contentOf(filed.record, aboutOf(cloud, number, phone, filed.record)) : changeOf(phone, observed, peer);
  if (!fields) return;
  const id = wamidOf(peer, envelope.message_id, "out");
  const base = { from: number.phone, to: peer, id, timestamp: String(envelope.timestamp) };
  cloud.report(number, `echo:${id}`, "smb_message_echoes", { message_echoes: [{ ...base, ...fields }] });
}

function inbound(cloud: CloudNetwork, number: CloudNumber, phone: PhoneDependencies, observed: ObservedMessage): void {
  const { envelope, filed } = observed;
  const about =
    filed.kind === "message" ? aboutOf(cloud, number, phone, filed.record) : { cloud, number, answersTemplate: false, quotedFrom: null };
  const fields = filed.kind === "message" ? contentOf(filed.record, about) : changeOf(phone, observed, envelope.from);
  if (!fields || filed.kind === "duplicate") return;
  const isEdit = fields["type"] === "edit" || fields["type"] === "revoke";
  if (!envelope.chat_id.endsWith("@g.us")) cloud.openWindow(number, envelope.from);
  const base = baseOf(about, envelope);
  const message = { ...base, ...(isEdit && !number.coexistence ? unsupported(String(fields["type"])) : fields) };
  cloud.report(number, `message:${String(base["id"])}`, "messages", {
    contacts: [contactOf(cloud, number, phone, envelope)],
    messages: [message],
  });
}

function changeOf(phone: PhoneDependencies, { envelope, message, filed }: ObservedMessage, peer: string): Fields | null {
  const content = normalizeMessageContent(message) ?? message;
  const named = (id: string | null | undefined): string => {
    const target = phone.messages.findAnywhere(id ?? "")?.record;
    if (target?.from_me !== false)
      return wamidOf(envelope.chat_id.endsWith("@g.us") ? envelope.chat_id.replace(/@.*$/, "") : peer, id ?? "", "out");
    return wamidOf(target.from, target.message_id, "in");
  };
  const { reactionMessage, protocolMessage, secretEncryptedMessage } = content;
  if (reactionMessage) {
    const emoji = reactionMessage.text ? { emoji: reactionMessage.text } : {};
    return { type: "reaction", reaction: { message_id: named(reactionMessage.key?.id), ...emoji } };
  }
  if (filed.kind !== "change") return null;
  if (protocolMessage?.type === Type.REVOKE) {
    return { type: "revoke", revoke: { original_message_id: named(protocolMessage.key?.id) } };
  }
  const edited = protocolMessage?.type === Type.MESSAGE_EDIT ? protocolMessage.key?.id : secretEncryptedMessage?.targetMessageKey?.id;
  if (edited == null) return null;
  const body = phone.messages.findAnywhere(edited)?.record.text ?? "";
  return { type: "edit", edit: { original_message_id: named(edited), message: { type: "text", text: { body } } } };
}

function aboutOf(cloud: CloudNetwork, number: CloudNumber, phone: PhoneDependencies, { quoted_id, chat_id }: MessageRecord): About {
  const quoted = quoted_id === null ? null : (phone.messages.find(chat_id, quoted_id)?.record ?? null);
  return { cloud, number, answersTemplate: quoted?.type === "template", quotedFrom: quoted?.from ?? null };
}

function contactOf(
  cloud: CloudNetwork,
  number: CloudNumber,
  phone: PhoneDependencies,
  { from, push_name }: ObservedMessage["envelope"],
): Fields {
  const { wa_id, user_id, username } = cloud.person(number, from);
  const name = push_name ?? phone.link.account(from)?.name ?? from;
  return { profile: { name, ...(username !== undefined && { username }) }, ...(wa_id !== undefined && { wa_id }), user_id };
}

function reportCall(cloud: CloudNetwork, number: CloudNumber, phone: PhoneDependencies, call: CallDocument): void {
  if (call.direction === "out" || call.status === "accepted") return;
  const { wa_id, user_id } = cloud.person(number, call.peer);
  const id = callIdOf(number.phone, call.call_id);
  const now = nowSeconds();
  const base = {
    id,
    ...(wa_id !== undefined && { from: wa_id }),
    from_user_id: user_id,
    to: number.phone,
    direction: "USER_INITIATED",
    timestamp: String(now),
  };
  if (call.status === "ringing") {
    cloud.openWindow(number, call.peer);
    const name = phone.link.account(call.peer)?.name ?? call.peer;
    const contacts = [{ profile: { name }, ...(wa_id !== undefined && { wa_id }), user_id }];
    const session = { sdp_type: "offer", sdp: SDP };
    return cloud.report(number, `call:${id}:connect`, "calls", { contacts, calls: [{ ...base, event: "connect", session }] });
  }
  const times = { start_time: String(call.started_at), end_time: String(now), duration: 0 };
  cloud.report(number, `call:${id}:terminate`, "calls", { calls: [{ ...base, event: "terminate", status: "FAILED", ...times }] });
}
