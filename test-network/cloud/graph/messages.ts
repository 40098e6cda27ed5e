import { generateMessageIDV2 } from "baileys";
import { showDoing } from "../../phone/presence.ts";
import { readChat } from "../../phone/messages/receipts.ts";
import type { SimulatedPhone } from "../../phone/simulated-phone.ts";
import { countryCodeOf, groupOf, messageIdOf, wamidOf, spelled } from "../ids.ts";
import type { CloudNumber, SentMessage } from "../model.ts";
import { reportStatus } from "../statuses.ts";
import { graphError, type GraphReply } from "./errors.ts";
import { MessageBody, type ReadBody, type SentBody, type FileBody, type InteractiveBody } from "./message-bodies.ts";
import { json, on, SUCCESS, type Edge, type GraphCall, type Nodes } from "./route.ts";
import type { OutgoingContent, OutgoingFile } from "../../phone/messages/outgoing-content.ts";
import type { Sent } from "../../phone/messages/sending.ts";
import { type Outcome, refused as notSent } from "../../phone/refusal.ts";
import type { CloudNetwork } from "../cloud-network.ts";
import { fileAt, fileOf, kindProblem, type FileKind } from "../media.ts";
import { fillTemplate } from "../templates.ts";
import { vcardOf } from "../vcards.ts";

const MEDIA_NOT_UPLOADED = "media_not_uploaded";

type From = {
  cloud: CloudNetwork;
  number: CloudNumber;
  phone: SimulatedPhone;
};

type Category = SentMessage["category"];
type Refused = { ok: false; reply: GraphReply };
type Outgoing = { ok: true; category: Category; send(chatId: string, messageId: string): Promise<Outcome<Sent>> } | Refused;
/** `content` is null if the file could not be downloaded or has the wrong type. */
type Content = { ok: true; content: OutgoingContent | null; category?: Category } | Refused;

async function outgoingOf(from: From, body: SentBody): Promise<Outgoing> {
  const { phone } = from;
  const category = "service";
  if (body.type === "reaction") {
    const target = messageIdOf(body.reaction.message_id) ?? "";
    if (!phone.deps.messages.findAnywhere(target)) return refused(131_009, "reaction.message_id names no message of this number.");
    return { ok: true, category, send: (chatId, id) => phone.react(chatId, target, body.reaction.emoji, id) };
  }
  const made = await contentOf(from, body);
  if (!made.ok) return made;
  const { content } = made;
  return {
    ok: true,
    category: made.category ?? category,
    async send(chatId, messageId) {
      if (content === null) return notSent(422, MEDIA_NOT_UPLOADED, "The file at the link cannot be sent.");
      const quoted = messageIdOf(body.context?.message_id ?? "");
      const isThere = quoted !== null && phone.deps.messages.find(phone.chatId(chatId), quoted) !== null;
      return phone.send(chatId, content, { messageId, ...(isThere && { quotedId: quoted }) });
    },
  };
}

function contentOf(from: From, body: Exclude<SentBody, { type: "reaction" }>): Content | Promise<Content> {
  switch (body.type) {
    case "text":
      return content({ type: "text", text: body.text.body });
    case "image":
    case "video":
      return withFile(from, body.type, media(body), (file) => ({
        type: body.type,
        file,
        caption: media(body)?.caption ?? null,
        view_once: false,
      }));
    case "document":
      return withFile(from, "document", body.document, (file) => ({
        type: "document",
        file: { ...file, filename: body.document.filename ?? file.filename },
        caption: body.document.caption ?? null,
      }));
    case "sticker":
      return withFile(from, "sticker", body.sticker, (file) => ({ type: "sticker", file }));
    case "audio": {
      const type = body.audio.voice === true ? "voice" : "audio";
      return withFile(from, "audio", body.audio, (file) => ({ type, file, view_once: false }));
    }
    case "location": {
      const { latitude, longitude, name = null, address = null } = body.location;
      return content({ type: "location", latitude, longitude, name, address });
    }
    case "contacts":
      return content({ type: "contact", contacts: body.contacts.map(vcardOf) });
    case "interactive":
      return interactive(from, body.interactive);
    case "template":
      return fillTemplate(from.cloud, from.number, body.template);
  }
}

function media(body: Extract<SentBody, { type: "image" | "video" }>) {
  return body.type === "image" ? body.image : body.video;
}

function interactive(from: From, body: InteractiveBody): Content | Promise<Content> {
  if (body.type === "location_request_message" || body.type === "request_contact_info")
    return content({ type: "text", text: body.body.text });
  const { header } = body;
  const title = header?.type === "text" ? header.text : "";
  const text = body.body.text;
  const footer = body.footer?.text ?? null;
  if (body.type === "cta_url") return content({ type: "text", text: `${text}\n${body.action.parameters.url}` });
  if (body.type === "list") {
    const rows = body.action.sections.flatMap((section) => section.rows);
    return content({ type: "list", title, text, button: body.action.button, rows, footer });
  }
  const buttons = body.action.buttons.map(({ reply }) => reply);
  if (!header || header.type === "text") return content({ type: "buttons", title, text, footer, buttons, header: null });
  const named = header.type === "image" ? header.image : header.type === "video" ? header.video : header.document;
  return withFile(from, header.type, named, (file) => ({
    type: "buttons",
    title,
    text,
    footer,
    buttons,
    header: { kind: header.type, file },
  }));
}

async function withFile(
  { cloud, number }: From,
  kind: FileKind,
  { id, link }: FileBody,
  build: (file: OutgoingFile) => OutgoingContent,
): Promise<Content> {
  if (id === undefined) {
    if (link === undefined) return refused(131_008, `Required parameter ${kind}['id'] is missing`);
    const file = await fileAt(link);
    if (!file || kindProblem(kind, file.mimetype, file.bytes.length) !== null) return { ok: true, content: null };
    return content(build({ ...file, filename: null }));
  }
  const found = fileOf(cloud, number, id);
  if (!found) return refused(131_009, `Media id ${id} does not exist or has expired.`);
  const problem = kindProblem(kind, found.media.mime_type, found.bytes.length);
  if (problem !== null) return refused(131_053, problem);
  return content(build({ bytes: found.bytes, mimetype: found.media.mime_type, filename: found.media.filename }));
}

function content(made: OutgoingContent): Content {
  return { ok: true, content: made };
}

function refused(code: number, details: string): Refused {
  return { ok: false, reply: graphError(code, { details }) };
}

/** How long a contact sees the business as typing. */
const TYPING_MS = 25_000;

export const messageEdges: readonly Edge[] = [
  on("number", "POST", "messages", MessageBody, (node, call) => {
    if (!node.number.registered) return graphError(133_010, { details: "The account is not registered." });
    return "status" in call.body ? markRead(node, call.body) : send(node, call, call.body);
  }),
];

type Recipient = {
  chatId: string;
  phone: string | null;
  contact: { input: string; wa_id?: string; user_id?: string };
};

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

/** The reason for a refusal, or null. Graph reports most refusals only after its response, as a status. */
function refusalOf({ isKnown, isOpen, type }: { isKnown: boolean; isOpen: boolean; type: SentBody["type"] }): number | null {
  if (!isKnown) return 131_026;
  return isOpen || type === "template" ? null : 131_047;
}

function isOpen({ cloud }: GraphCall<unknown>, number: CloudNumber, { phone }: Recipient): boolean {
  return phone === null || cloud.hasWindow(number, phone);
}

/** Sends through the phone. The "sent" status is stored and reported along with the phone's message. */
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
  // A number without a plus sign may lack its country code, so the business's country code is tried too.
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
