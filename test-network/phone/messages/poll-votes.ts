// Poll votes and event responses have a second layer of encryption, with the poll's own secret.
import { createCipheriv, createDecipheriv, createHmac, randomBytes, hkdfSync } from "node:crypto";
import { proto } from "baileys";
import { sha256 } from "./media-cipher.ts";

/** Binds a vote to its poll and voter. JIDs have no device part. */
export type VoteContext = {
  pollId: string;
  pollSecret: Uint8Array;
  creatorJid: string;
  voterJid: string;
};

type Use = "Poll Vote" | "Event Response";

const TAG_BYTES = 16;

export function sealVote(options: readonly string[], context: VoteContext): proto.Message.IPollEncValue {
  const vote = { selectedOptions: options.map((option) => sha256(Buffer.from(option))) };
  return seal(proto.Message.PollVoteMessage.encode(vote).finish(), context, "Poll Vote");
}

export function sealEventAnswer(isComing: boolean, context: VoteContext): proto.Message.IPollEncValue {
  const { GOING, NOT_GOING } = proto.Message.EventResponseMessage.EventResponseType;
  const response = { response: isComing ? GOING : NOT_GOING, timestampMs: Date.now() };
  return seal(proto.Message.EventResponseMessage.encode(response).finish(), context, "Event Response");
}

function seal(plain: Uint8Array, context: VoteContext, use: Use): proto.Message.IPollEncValue {
  const encIv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", keyFor(use, context), encIv);
  cipher.setAAD(boundTo(context));
  const encPayload = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return { encPayload, encIv };
}

/** Returns the hashes of the chosen options, or null if the vote does not belong to this context. */
export function openVote(vote: proto.Message.IPollEncValue, context: VoteContext): Buffer[] | null {
  if (!vote.encPayload || !vote.encIv) return null;
  const payload = Buffer.from(vote.encPayload);
  const decipher = createDecipheriv("aes-256-gcm", keyFor("Poll Vote", context), vote.encIv);
  decipher.setAAD(boundTo(context));
  decipher.setAuthTag(payload.subarray(-TAG_BYTES));
  try {
    const plain = Buffer.concat([decipher.update(payload.subarray(0, -TAG_BYTES)), decipher.final()]);
    return proto.Message.PollVoteMessage.decode(plain).selectedOptions.map((hash) => Buffer.from(hash));
  } catch {
    return null;
  }
}

export function namedOptions(hashes: readonly Buffer[], options: readonly string[]): string[] {
  return options.filter((option) => hashes.some((hash) => hash.equals(sha256(Buffer.from(option)))));
}

function keyFor(use: Use, { pollId, pollSecret, creatorJid, voterJid }: VoteContext): Buffer {
  const root = createHmac("sha256", Buffer.alloc(32)).update(pollSecret).digest();
  return createHmac("sha256", root)
    .update(pollId)
    .update(creatorJid)
    .update(voterJid)
    .update(use)
    .update(Buffer.from([1]))
    .digest();
}

function boundTo({ pollId, voterJid }: VoteContext): Buffer {
  return Buffer.from(`${pollId}\0${voterJid}`);
}

export const { SecretEncType } = proto.Message.SecretEncryptedMessage;

/** Binds an edit to its message and author. `authorJid` has no device part. */
type EditContext = {
  messageId: string;
  messageSecret: Uint8Array;
  authorJid: string;
  type?: proto.Message.SecretEncryptedMessage.SecretEncType;
};

export function sealEdit(edit: proto.IMessage, context: EditContext): proto.Message.ISecretEncryptedMessage {
  const encIv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", editKey(context), encIv);
  const encPayload = Buffer.concat([cipher.update(proto.Message.encode(edit).finish()), cipher.final(), cipher.getAuthTag()]);
  return { encPayload, encIv, secretEncType: context.type ?? SecretEncType.MESSAGE_EDIT };
}

/** Returns null if the edit does not belong to this context. */
export function openEdit({ encPayload, encIv }: proto.Message.ISecretEncryptedMessage, context: EditContext): proto.Message | null {
  if (!encPayload || !encIv) return null;
  const payload = Buffer.from(encPayload);
  const decipher = createDecipheriv("aes-256-gcm", editKey(context), encIv);
  decipher.setAuthTag(payload.subarray(-TAG_BYTES));
  try {
    return proto.Message.decode(Buffer.concat([decipher.update(payload.subarray(0, -TAG_BYTES)), decipher.final()]));
  } catch {
    return null;
  }
}

// The author appears twice, as author of the message and of the edit.
function editKey({ messageId, messageSecret, authorJid, type = SecretEncType.MESSAGE_EDIT }: EditContext): Buffer {
  const purpose = type === SecretEncType.EVENT_EDIT ? "Event Edit" : "Message Edit";
  return Buffer.from(hkdfSync("sha256", messageSecret, Buffer.alloc(0), `${messageId}${authorJid}${authorJid}${purpose}`, 32));
}
