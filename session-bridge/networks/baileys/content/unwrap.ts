import { proto, type WAMessage } from "baileys";

export type Unwrapped = {
  field: keyof proto.IMessage | null;
  content: proto.IMessage;
  viewOnce: boolean;
};

const METADATA_FIELDS = new Set<string>([
  "messageContextInfo",
  "senderKeyDistributionMessage",
  "fastRatchetKeySenderKeyDistributionMessage",
]);

const VIEW_ONCE = new Set<string>(["viewOnceMessage", "viewOnceMessageV2", "viewOnceMessageV2Extension"]);

const WRAPPERS = new Set<string>([
  ...VIEW_ONCE,
  "ephemeralMessage",
  "documentWithCaptionMessage",
  "editedMessage",
  "associatedChildMessage",
  "groupStatusMessage",
  "groupStatusMessageV2",
  "groupMentionedMessage",
  "lottieStickerMessage",
  "pollCreationMessageV4",
  "eventCoverImage",
  "pollCreationOptionImageMessage",
  "deviceSentMessage",
  "botForwardedMessage",
  "botInvokeMessage",
  "questionMessage",
  "questionReplyMessage",
  "limitSharingMessage",
]);

const MAX_DEPTH = 6;

export function unwrap(message: proto.IMessage | null | undefined): Unwrapped {
  let content: proto.IMessage = message ?? {};
  let viewOnce = false;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const field = fieldOf(content);
    if (field === null || !WRAPPERS.has(field)) return { field, content, viewOnce };
    viewOnce ||= VIEW_ONCE.has(field);
    const inner = (content[field] as proto.Message.IFutureProofMessage).message;
    if (!inner) return { field: null, content: {}, viewOnce };
    content = inner;
  }
  return { field: null, content: {}, viewOnce };
}

function fieldOf(content: proto.IMessage): keyof proto.IMessage | null {
  for (const field of Object.keys(content)) {
    if (METADATA_FIELDS.has(field)) continue;
    const value = content[field as keyof proto.IMessage];
    if (value !== null && value !== undefined && value !== "") return field as keyof proto.IMessage;
  }
  return null;
}

// `NetworkMessage.raw` contains message and key in the network's encoding, for quotes, forwards and repeated media requests.
type RawMessage = { key: proto.IMessageKey; message: proto.IMessage };

export function rawOf({ key, message, messageTimestamp, participant }: WAMessage): string {
  const author = key.participant || participant;
  const stored: proto.IWebMessageInfo = {
    key: { remoteJid: key.remoteJid ?? null, id: key.id ?? null, fromMe: key.fromMe === true, ...(author && { participant: author }) },
    message: message ?? null,
    messageTimestamp: messageTimestamp ?? null,
  };
  return Buffer.from(proto.WebMessageInfo.encode(stored).finish()).toString("base64");
}

export function readRaw(raw: string): RawMessage | null {
  try {
    const { key, message } = proto.WebMessageInfo.decode(Buffer.from(raw, "base64"));
    return key && message ? { key, message } : null;
  } catch {
    return null;
  }
}

export function numberOf(value: unknown): number {
  if (typeof value === "number") return value;
  if (typeof value === "string") return Number(value) || 0;
  if (value !== null && typeof value === "object" && "toNumber" in value && typeof value.toNumber === "function")
    return Number(value.toNumber());
  return 0;
}

/** Returns null unless the value is an integer that JSON represents exactly, because other people's clients can send anything. */
export function wholeNumberOf(value: unknown): number | null {
  const number = value === null || value === undefined ? Number.NaN : numberOf(value);
  return Number.isSafeInteger(number) && number >= 0 ? number : null;
}
