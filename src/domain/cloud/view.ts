// Converts messages from Graph and our own sends to the stored form. Unknown types keep Graph's name.
import type { SendRequest } from "@gateway/protocol/content.ts";
import { type ChatId, type Person, personOf } from "@gateway/protocol/ids.ts";
import { storableFilename, mediaTypeOf, UNKNOWN_MEDIA_TYPE } from "@gateway/protocol/files.ts";
import { readJson } from "@gateway/protocol/json.ts";
import { type NetworkMessage, NO_EXTRAS, type StoredMedia } from "@gateway/protocol/message.ts";
import { fromBase64, toBase64 } from "../base64.ts";
import { formatCard } from "../messages/vcard.ts";
import { GraphContent, type GraphFile, type GraphContact, type GraphMessage, rowNamed } from "./graph-values.ts";
import type { CloudIds } from "./ids.ts";
import type { GraphSend } from "./request.ts";

export type CloudFile = { mediaId: string; mimetype: string; sha256: string | null; filename: string | null };

type ContentFields = Pick<NetworkMessage, "type" | "text"> &
  Partial<Pick<NetworkMessage, "media" | "location" | "contacts" | "selected">> & { file?: CloudFile | null };

const RENDERERS: Readonly<Record<string, (content: GraphContent) => ContentFields | null>> = {
  text: ({ text }) => (text ? { type: "text", text: text.body } : null),
  image: ({ image }) => withFile("image", image),
  video: ({ video }) => withFile("video", video),
  audio: ({ audio }) => withFile(audio?.voice === true ? "voice" : "audio", audio),
  document: ({ document }) => withFile("document", document),
  sticker: ({ sticker }) => withFile("sticker", sticker),
  location: ({ location }) =>
    location ? { type: "location", text: location.name ?? location.address, location: placeOf(location) } : null,
  contacts: ({ contacts }) => (contacts ? { type: "contact", ...cardsOf(contacts) } : null),
  interactive: ({ interactive }) => {
    if (!interactive) return null;
    const { type, list_reply: row, button_reply: button, body } = interactive;
    if (row) return { type: "list_response", text: row.title, selected: { row_id: row.id, title: row.title } };
    if (button) return { type: "button_response", text: button.title, selected: { button_id: button.id, title: button.title } };
    return { type: rowNamed(OWN_INTERACTIVE, type) ?? type, text: body?.text ?? null };
  },
  button: ({ button }) => {
    if (!button) return null;
    const title = button.text ?? button.payload ?? "";
    return { type: "button_response", text: title, selected: { button_id: button.payload ?? title, title } };
  },
  unsupported: ({ unsupported }) => ({ type: unsupported?.type ?? "unsupported", text: null }),
};

const OWN_INTERACTIVE: Readonly<Record<string, string>> = { list: "list", button: "buttons" };

/** Converts the content. A type without a renderer keeps its name and has no text. */
export function contentOf(content: GraphContent): ContentFields {
  return rowNamed(RENDERERS, content.type)?.(content) ?? { type: content.type, text: null };
}

type Received = { chatId: ChatId; sender: Person | null; pushName: string | null; timestamp: number };

/** `sender` is null if the message was sent from another device of the number. */
export function receivedMessage(
  message: GraphMessage,
  { chatId, sender, pushName, timestamp }: Received,
  ids: CloudIds,
): { message: NetworkMessage; file: CloudFile | null } {
  const { file = null, ...fields } = contentOf(message);
  const { context } = message;
  return {
    message: {
      message_id: (sender === null ? ids.own(message.id) : null) ?? message.id,
      chat_id: chatId,
      from_me: sender === null,
      sender,
      push_name: pushName,
      timestamp,
      media: null,
      ...NO_EXTRAS,
      ...fields,
      quoted: quotedIn(message, chatId, ids),
      forwarded: context?.forwarded === true || context?.frequently_forwarded === true,
      raw: rawOf(message),
    },
    file,
  };
}

function quotedIn({ context }: GraphMessage, chatId: ChatId, ids: CloudIds): NetworkMessage["quoted"] {
  if (!context?.id) return null;
  const own = ids.own(context.id);
  const messageId = own ?? context.id;
  const known = ids.known?.(messageId, chatId) ?? null;
  const from = ids.person({ wa_id: context.from ?? undefined, user_id: context.from_user_id ?? undefined });
  const fromMe = own !== null || (ids.me !== null && from?.phone === ids.me);
  return { message_id: messageId, from, from_me: fromMe, text: known?.text ?? null, type: known?.type ?? "unknown" };
}

/** The stored form of a sent message that Meta accepted. Keeps `body`'s content for later quotes and files. */
export function sentMessage(
  pending: NetworkMessage,
  body: GraphSend,
  { chatId, timestamp }: { chatId: ChatId; timestamp: number },
): NetworkMessage {
  return { ...pending, chat_id: chatId, timestamp, raw: rawOf({ type: body.type, [body.type]: body[body.type] }) };
}

export function quotedOf({ quoted }: Pick<SendRequest, "quoted">): NetworkMessage["quoted"] {
  if (quoted === null) return null;
  const { message_id, participant, from_me, chat_id } = quoted.ref;
  const content = contentIn(quoted.raw);
  const { text, type } = content === null ? { text: null, type: "unknown" } : contentOf(content);
  // In a one-to-one chat, the chat id identifies the author.
  return { message_id, from: participant ?? (from_me ? null : personOf(chat_id)), from_me, text, type };
}

const DEFAULT_MIMETYPES: Readonly<Record<string, string>> = {
  image: "image/jpeg",
  video: "video/mp4",
  audio: "audio/mpeg",
  voice: "audio/ogg; codecs=opus",
  sticker: "image/webp",
};

/** A webhook may report a file that Meta itself could not download (error 131052). Such a file cannot be fetched. */
function withFile(type: string, node: GraphFile | null | undefined): ContentFields {
  if (!node) return { type, text: null };
  const mimetype = mediaTypeOf(node.mime_type ?? DEFAULT_MIMETYPES[type] ?? UNKNOWN_MEDIA_TYPE);
  const filename = storableFilename(node.filename ?? "") || null;
  const sha256 = hexOf(node.sha256);
  const media: StoredMedia = {
    token: null,
    mimetype,
    filename,
    size: null,
    sha256,
    duration_seconds: null,
    width: null,
    height: null,
  };
  return { type, text: node.caption, media, file: { mediaId: node.id, mimetype, sha256, filename } };
}

/** Returns the digest in hex, or null if it is invalid. Webhooks write digests in base64, and file lookups write them in hex. */
export function hexOf(digest: string | null): string | null {
  if (digest === null) return null;
  if (/^[0-9a-f]{64}$/i.test(digest)) return digest.toLowerCase();
  const bytes = fromBase64(digest);
  return bytes.length === 32 ? Buffer.from(bytes).toString("hex") : null;
}

function placeOf({ latitude, longitude, name, address }: NonNullable<GraphContent["location"]>): NetworkMessage["location"] {
  return { latitude, longitude, name, address };
}

function cardsOf(contacts: readonly GraphContact[]): Pick<NetworkMessage, "contacts"> & { text: string | null } {
  const cards = contacts.map(({ name, phones: [phone], emails: [email], org }) => {
    const fullName = name?.formatted_name ?? [name?.first_name, name?.last_name].filter(Boolean).join(" ");
    const digits = phone?.wa_id ?? (phone?.phone?.replaceAll(/\D/g, "") || null);
    return formatCard({
      fullName,
      phone: digits,
      hasAccount: phone?.wa_id !== null && phone?.wa_id !== undefined,
      organization: org?.company ?? null,
      email: email?.email ?? null,
    });
  });
  const names = cards.map((card) => card.full_name).filter(Boolean);
  return { text: names.join(", ") || null, contacts: cards };
}

function rawOf(value: unknown): string {
  return toBase64(new TextEncoder().encode(JSON.stringify(value)));
}

/** Returns null if `raw` does not contain Graph content. */
export function contentIn(raw: string | null): GraphContent | null {
  return raw === null ? null : readJson(GraphContent, new TextDecoder().decode(fromBase64(raw)));
}

export function fileIn(raw: string | null): CloudFile | null {
  const content = contentIn(raw);
  return content === null ? null : (contentOf(content).file ?? null);
}
