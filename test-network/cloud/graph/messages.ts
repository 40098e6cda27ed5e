import { generateMessageIDV2 } from "baileys";
import { showDoing } from "../../phone/presence.ts";
import { readChat } from "../../phone/messages/receipts.ts";
import type { SimulatedPhone } from "../../phone/simulated-phone.ts";
import { countryCodeOf, groupOf, messageIdOf, wamidOf } from "../ids.ts";
import type { CloudNumber, SentMessage } from "../model.ts";
import { spelled } from "../spellings.ts";
import { reportStatus } from "../statuses.ts";
import { graphError, type GraphReply } from "./errors.ts";
import { MessageBody, type ReadBody, type SentBody } from "./message-bodies.ts";
import { MEDIA_NOT_UPLOADED, outgoingOf } from "./outgoing.ts";
import { json, on, SUCCESS, type Edge, type GraphCall, type Nodes } from "./route.ts";

/** How long a contact sees that the business is typing. */
const TYPING_MS = 25_000;

export const messageEdges: readonly Edge[] = [
  on("number", "POST", "messages", MessageBody, (node, call) => {
    if (!node.number.registered) return graphError(133_010, { details: "The account is not registered." });
    return "status" in call.body ? markRead(node, call.body) : send(node, call, call.body);
  }),
];

interface Recipient {
  chatId: string;
  phone: string | null;
  contact: { input: string; wa_id?: string; user_id?: string };
}

async function send({ number, phone }: Nodes["number"], call: GraphCall<unknown>, body: SentBody): Promise<GraphReply> {
  const { cloud, network } = call;
  const outgoing = await outgoingOf({ cloud, number, phone }, body);
  if (!outgoing.ok) return outgoing.reply;
  const to = recipientOf(number, call, body, outgoing.category);
  if (!("chatId" in to)) return to;
  if (to.phone === number.phone) return graphError(131_021, { details: "Recipient cannot be sender" });

  const messageId = generateMessageIDV2(phone.deps.jid);
  const wamid = wamidOf(to.phone ?? to.chatId.replace(/@.*$/, ""), messageId, "out");
  const sent: SentMessage = {
    wamid,
    message_id: messageId,
    phone_number_id: number.phone_number_id,
    chat_id: to.chatId,
    opaque: body.biz_opaque_callback_data ?? null,
    category: outgoing.category,
    at: Math.floor(Date.now() / 1_000),
    left: true,
  };
  const isKnown = to.phone === null || network.directory.account(to.phone) !== undefined;
  const struck = cloud.faults.strike(number.phone_number_id, "status_error", `POST /${number.phone_number_id}/messages`);
  const failure = struck ? (struck.code ?? 131_000) : refusalOf({ isKnown, isOpen: isOpen(call, number, to), type: body.type });
  if (failure === null) await leave({ number, phone }, call, sent, () => outgoing.send(to.chatId, messageId));
  else fail(call, number, sent, failure);
  const accepted = body.type === "template" ? { message_status: "accepted" } : {};
  return json({ messaging_product: "whatsapp", contacts: [to.contact], messages: [{ id: wamid, ...accepted }] });
}

/** Why a message is refused, or null. Graph reports most refusals only after it has responded, as a status. */
function refusalOf({ isKnown, isOpen, type }: { isKnown: boolean; isOpen: boolean; type: SentBody["type"] }): number | null {
  if (!isKnown) return 131_026;
  return isOpen || type === "template" ? null : 131_047;
}

function isOpen({ cloud }: GraphCall<unknown>, number: CloudNumber, { phone }: Recipient): boolean {
  return phone === null || cloud.hasWindow(number, phone);
}

/** Sends through the phone. The "sent" status is stored and reported together with the phone's message. */
async function leave(
  { number, phone }: Nodes["number"],
  call: GraphCall<unknown>,
  sent: SentMessage,
  send: () => ReturnType<SimulatedPhone["send"]>,
): Promise<void> {
  const { cloud } = call;
  cloud.sending.set(sent.message_id, sent);
  try {
    const outcome = await send();
    if (!outcome.ok) fail(call, number, sent, outcome.code === MEDIA_NOT_UPLOADED ? 131_053 : 131_026);
    else showDoing(phone.deps, sent.chat_id, "paused");
  } finally {
    cloud.sending.delete(sent.message_id);
  }
}

function fail({ cloud }: GraphCall<unknown>, number: CloudNumber, sent: SentMessage, code: number): void {
  cloud.documents.put("sent", `${number.phone}|${sent.message_id}`, { ...sent, left: false });
  reportStatus(cloud, number, sent, { status: "failed", at: sent.at, from: null, code });
}

function recipientOf(
  number: CloudNumber,
  { cloud, network }: GraphCall<unknown>,
  { to, recipient, recipient_type }: SentBody,
  category: SentMessage["category"],
): Recipient | GraphReply {
  if (recipient_type === "group") {
    const named = groupOf(to ?? "");
    const group = named?.phone === number.phone ? network.groups.get(named.group) : undefined;
    if (!group?.members.has(number.phone)) return graphError(100, { subcode: 33, details: "There is no such group." });
    return { chatId: group.id, phone: null, contact: { input: to ?? "", wa_id: to ?? "" } };
  }
  if (recipient !== undefined && to === undefined) {
    const person = [...network.directory.accounts.values()].find(({ pn }) => cloud.userId(number, pn) === recipient);
    if (!person) return graphError(131_009, { details: "recipient is not a business-scoped user id of this business." });
    if (category === "authentication") return graphError(131_062);
    return { chatId: `${person.pn}@c.us`, phone: person.pn, contact: { input: recipient, user_id: recipient } };
  }
  if (to === undefined) return graphError(100, { message: "(#100) The parameter to is required." });
  const isPhone = (digits: string) => network.directory.account(digits) !== undefined;
  const given = to.replace(/\D/g, "");
  const phones = [given, ...(to.startsWith("+") ? [] : [countryCodeOf(number.phone) + given])]
    .filter((digits) => /^\d{5,15}$/.test(digits))
    .map((digits) => spelled(digits, number.spelling, isPhone));
  // A number without a plus sign may lack a country code, so it is also tried with the business's own.
  const phone = phones.find(isPhone) ?? phones.at(-1);
  if (phone === undefined) return graphError(131_009, { details: "Param to is not a valid phone number." });
  return { chatId: `${phone}@c.us`, phone, contact: { input: to, wa_id: phone } };
}

async function markRead({ number, phone }: Nodes["number"], { message_id: wamid, typing_indicator }: ReadBody): Promise<GraphReply> {
  const stored = phone.deps.messages.findAnywhere(messageIdOf(wamid) ?? "")?.record;
  if (!stored || stored.from_me)
    return graphError(100, { message: "(#100) Invalid parameter", details: `Message ${wamid} is not one that ${number.phone} has got.` });
  await phone.act((deps) => readChat(deps, stored.chat_id, stored.timestamp));
  if (!typing_indicator) return json(SUCCESS);
  showDoing(phone.deps, stored.chat_id, "typing");
  setTimeout(() => showDoing(phone.deps, stored.chat_id, "paused"), TYPING_MS).unref();
  return json(SUCCESS);
}
