import type { proto } from "baileys";

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
