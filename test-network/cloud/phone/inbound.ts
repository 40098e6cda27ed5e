import type { MessageRecord } from "../../phone/store/messages.ts";
import type { CloudNetwork } from "../cloud-network.ts";
import { webhookError } from "../graph/errors.ts";
import { groupIdOf, wamidOf, digits } from "../ids.ts";
import { keepReceived } from "../media.ts";
import type { CloudNumber } from "../model.ts";
import { contactOf } from "../vcards.ts";
import { nowSeconds } from "../../phone/dependencies.ts";

type Fields = Record<string, unknown>;

export type About = {
  cloud: CloudNetwork;
  number: CloudNumber;
  answersTemplate: boolean;
  quotedFrom: string | null;
};

/** Content by phone message type. All other types become `unsupported`. It can be called inside a transaction. */
const CONTENT: Readonly<Record<string, (record: MessageRecord, about: About) => Fields>> = {
  text: ({ text }) => ({ type: "text", text: { body: text ?? "" } }),
  image: (record, about) => file("image", record, about),
  video: (record, about) => file("video", record, about),
  sticker: (record, about) => file("sticker", record, about, { animated: false }),
  document: (record, about) => file("document", record, about, { filename: record.media?.filename ?? "file" }),
  audio: (record, about) => file("audio", record, about, { voice: false }),
  voice: (record, about) => file("audio", record, about, { voice: true }),
  location: ({ location }) => {
    if (!location) return unsupported("location");
    const { latitude, longitude, name, address } = location;
    return { type: "location", location: { latitude, longitude, ...(name !== null && { name }), ...(address !== null && { address }) } };
  },
  contact: ({ contacts }) => ({ type: "contacts", contacts: (contacts ?? []).map(contactOf) }),
  list_response: ({ selected }) => ({
    type: "interactive",
    interactive: { type: "list_reply", list_reply: { id: selected?.row_id ?? "", title: selected?.title ?? "" } },
  }),
  button_response: ({ selected }, { answersTemplate }) => {
    const { button_id: id = "", title = "" } = selected ?? {};
    if (answersTemplate) return { type: "button", button: { payload: id, text: title } };
    return { type: "interactive", interactive: { type: "button_reply", button_reply: { id, title } } };
  },
};

export function contentOf(record: MessageRecord, about: About): Fields {
  return { ...contextOf(record, about), ...(CONTENT[record.type]?.(record, about) ?? unsupported(record.type)) };
}

export function unsupported(type: string): Fields {
  return { type: "unsupported", errors: [webhookError(131_051, "Message type is not currently supported")], unsupported: { type } };
}

export function baseOf({ cloud, number }: About, record: Pick<MessageRecord, "chat_id" | "from" | "message_id" | "timestamp">): Fields {
  const { wa_id, user_id } = cloud.person(number, record.from);
  return {
    ...(wa_id !== undefined && { from: wa_id }),
    from_user_id: user_id,
    id: wamidOf(record.from, record.message_id, "in"),
    timestamp: String(record.timestamp),
    ...(record.chat_id.endsWith("@g.us") && { group_id: groupIdOf(number.phone, record.chat_id) }),
  };
}

function contextOf({ quoted_id, forwarded, chat_id, from }: MessageRecord, { number, quotedFrom }: About): Fields {
  if (quoted_id !== null) {
    const isOwn = quotedFrom === number.phone;
    const peer = chat_id.endsWith("@g.us") ? chat_id.replace(/@.*$/, "") : from;
    const id = isOwn ? wamidOf(peer, quoted_id, "out") : wamidOf(quotedFrom ?? from, quoted_id, "in");
    return { context: { from: quotedFrom ?? from, id } };
  }
  return forwarded ? { context: { forwarded: true } } : {};
}

function file(type: string, record: MessageRecord, { cloud, number }: About, more: Fields = {}): Fields {
  const { media, text, message_id } = record;
  if (!media || media.sha256 === null) {
    return { type, errors: [webhookError(131_052, "Media could not be downloaded from the sender")] };
  }
  const { sha256, mimetype, size, filename } = media;
  const hash = Buffer.from(sha256, "hex");
  if (cloud.faults.strike(number.phone_number_id, "bad_media_hash")) hash.reverse();
  const { media_id } = keepReceived(cloud, number, message_id, { mime_type: mimetype, sha256: hash.toString("hex"), size, filename });
  const caption = text !== null && text !== "" && { caption: text };
  return { type, [type]: { mime_type: mimetype, sha256: hash.toString("base64"), id: media_id, ...caption, ...more } };
}

type SystemChange = {
  phone: string;
  type: "user_changed_number" | "user_changed_user_id" | "customer_identity_changed";
  new_phone?: string | undefined;
};

/** A new phone number leaves the user id unchanged, and vice versa. */
export function reportSystem(cloud: CloudNetwork, number: CloudNumber, { phone, type, new_phone }: SystemChange): void {
  const before = cloud.person(number, phone);
  const now = new_phone ?? phone;
  const user_id = type === "user_changed_user_id" ? `${before.user_id.slice(0, 2)}.${digits(16)}` : before.user_id;
  if (type !== "customer_identity_changed") cloud.documents.put("user", `${number.waba_id}|${now}`, { user_id });
  const id = wamidOf(phone, digits(10), "in");
  const body = new_phone === undefined ? `User ${phone}: ${type}` : `User changed from ${phone} to ${new_phone}`;
  const message = {
    ...(before.wa_id !== undefined && { from: before.wa_id }),
    from_user_id: before.user_id,
    id,
    timestamp: String(nowSeconds()),
    type: "system",
    system: { type, body, ...(new_phone !== undefined && { wa_id: new_phone }), ...(type !== "customer_identity_changed" && { user_id }) },
  };
  cloud.report(number, `system:${id}`, "messages", { messages: [message] });
}
