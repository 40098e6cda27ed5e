import { normalizeMessageContent, proto } from "baileys";
import { jidOf, personOf } from "../addresses.ts";
import { changeChat, chatOf } from "../chats.ts";
import type { Envelope, Filed } from "./envelope.ts";
import { keptFile } from "./lost-media.ts";
import { openMedia, sha256 } from "./media-cipher.ts";
import { mediaPartOf, pollOf, viewOf, type MediaPart } from "./message-view.ts";
import type { PhoneDependencies } from "../dependencies.ts";
import { namedOptions, openVote, openEdit } from "./poll-votes.ts";
import type { MessageRecord } from "../store/messages.ts";
import type { MediaRecord } from "../views.ts";

const { Type } = proto.Message.ProtocolMessage;

/** Must run inside `phone.commit`. */
export function fileMessage(phone: PhoneDependencies, envelope: Envelope, message: proto.IMessage): Filed {
  const content = normalizeMessageContent(message) ?? message;
  if (content.protocolMessage) return fileProtocol(phone, envelope, content.protocolMessage);
  if (content.reactionMessage) return fileReaction(phone, envelope, content.reactionMessage);
  if (content.pollUpdateMessage) return fileVote(phone, envelope, content.pollUpdateMessage);
  if (content.secretEncryptedMessage) return fileSealedEdit(phone, envelope, content.secretEncryptedMessage);
  if (content.pinInChatMessage) return filePin(phone, envelope, content.pinInChatMessage);
  const view = viewOf(message);
  if (!view) return { kind: "nothing" };
  const { chat_id, message_id } = envelope;
  const again = phone.messages.change(chat_id, message_id, ({ duplicates }) => ({ duplicates: duplicates + 1 }));
  if (again) return { kind: "duplicate" };
  const mentions = view.mentions.map((jid) => personOf(jid, phone.link.directory));
  const record = newRecord(envelope, { ...view, mentions, media: readMedia(phone, message) });
  phone.messages.put(record, proto.Message.encode(message).finish());
  if (!record.from_me) changeChat(phone, chat_id, { unread_count: chatOf(phone, chat_id).unread_count + 1, deleted_at: null });
  return { kind: "message", record };
}

export function newRecord(envelope: Envelope, view: NonNullable<ReturnType<typeof viewOf>> & { media: MediaRecord | null }): MessageRecord {
  return {
    ...envelope,
    ...view,
    reactions: [],
    poll_votes: [],
    labels: [],
    edited: false,
    deleted: false,
    starred: false,
    pinned: false,
    read: false,
    played: false,
    duplicates: 0,
    status: envelope.from_me ? "sent" : null,
    error: null,
  };
}

export function readMedia(phone: PhoneDependencies, message: proto.IMessage): MediaRecord | null {
  const part = mediaPartOf(message);
  if (!part) return null;
  const plain = openPart(phone, part);
  return {
    sha256: plain && sha256(plain).toString("hex"),
    size: plain?.length ?? 0,
    mimetype: part.mimetype,
    filename: part.filename,
    seconds: part.seconds,
  };
}

/** Returns null when there is no file, or it cannot be fetched or decrypted. */
export function readFileOf(phone: PhoneDependencies, content: Uint8Array): Buffer | null {
  const part = mediaPartOf(proto.Message.decode(content));
  return part && openPart(phone, part);
}

function openPart(phone: PhoneDependencies, part: MediaPart): Buffer | null {
  const sealed = phone.link.readBlob(part.directPath) ?? keptFile(phone, part.directPath);
  const plain = sealed && part.mediaKey ? openMedia(sealed, part.mediaKey, part.family) : sealed;
  return plain && sha256(plain).equals(part.fileSha256) ? plain : null;
}

function fileProtocol(phone: PhoneDependencies, envelope: Envelope, protocol: proto.Message.IProtocolMessage): Filed {
  const target = protocol.key?.id ?? "";
  if (protocol.type === Type.REVOKE)
    return changeIf(phone, envelope, target, mayDelete, () => ({ deleted: true, text: null, media: null }));
  if (protocol.type === Type.MESSAGE_EDIT) {
    const edited = protocol.editedMessage ? viewOf(protocol.editedMessage) : null;
    return changeIf(phone, envelope, target, isAuthor, ({ deleted }) => (deleted ? {} : { edited: true, text: edited?.text ?? null }));
  }
  if (protocol.type === Type.EPHEMERAL_SETTING) {
    changeChat(phone, envelope.chat_id, { disappearing_seconds: protocol.ephemeralExpiration ?? 0 });
    return { kind: "change" };
  }
  return { kind: "nothing" };
}

// An edit must be encrypted by the message's author, with either form of the author's address.
function fileSealedEdit(phone: PhoneDependencies, envelope: Envelope, sealed: proto.Message.ISecretEncryptedMessage): Filed {
  const messageId = sealed.targetMessageKey?.id ?? "";
  const stored = phone.messages.find(envelope.chat_id, messageId);
  const messageSecret = stored && proto.Message.decode(stored.content).messageContextInfo?.messageSecret;
  if (!messageSecret) return { kind: "nothing" };
  for (const authorJid of jidForms(phone, envelope.from)) {
    const { protocolMessage } = openEdit(sealed, { messageId, messageSecret, authorJid }) ?? {};
    if (protocolMessage) return fileProtocol(phone, envelope, { ...protocolMessage, key: { id: messageId } });
  }
  return { kind: "nothing" };
}

function fileReaction(phone: PhoneDependencies, envelope: Envelope, { key, text }: proto.Message.IReactionMessage): Filed {
  const { from } = envelope;
  return changeIf(
    phone,
    envelope,
    key?.id ?? "",
    () => true,
    ({ reactions }) => {
      const others = reactions.filter((reaction) => reaction.from !== from);
      return { reactions: text ? [...others, { from, reaction: text }] : others };
    },
  );
}

function filePin(phone: PhoneDependencies, envelope: Envelope, { key, type }: proto.Message.IPinInChatMessage): Filed {
  const pinned = type === proto.Message.PinInChatMessage.Type.PIN_FOR_ALL;
  return changeIf(
    phone,
    envelope,
    key?.id ?? "",
    () => true,
    () => ({ pinned }),
  );
}

// The vote does not reveal which address form was used, so every pair is tried. Only the right one authenticates.
function fileVote(phone: PhoneDependencies, envelope: Envelope, update: proto.Message.IPollUpdateMessage): Filed {
  const pollId = update.pollCreationMessageKey?.id ?? "";
  const stored = phone.messages.find(envelope.chat_id, pollId);
  const poll = stored && proto.Message.decode(stored.content);
  const pollSecret = poll?.messageContextInfo?.messageSecret;
  const options = poll && pollOf(normalizeMessageContent(poll) ?? poll)?.options;
  if (!stored || !pollSecret || !options || !update.vote) return { kind: "nothing" };
  for (const creatorJid of jidForms(phone, stored.record.from)) {
    for (const voterJid of jidForms(phone, envelope.from)) {
      const hashes = openVote(update.vote, { pollId, pollSecret, creatorJid, voterJid });
      if (hashes) return keepVote(phone, envelope, pollId, namedOptions(hashes, options));
    }
  }
  return { kind: "nothing" };
}

function keepVote(phone: PhoneDependencies, { chat_id, from }: Envelope, pollId: string, options: string[]): Filed {
  phone.messages.change(chat_id, pollId, ({ poll_votes }) => {
    const others = poll_votes.filter((vote) => vote.from !== from);
    return { poll_votes: options.length > 0 ? [...others, { from, options }] : others };
  });
  return { kind: "change" };
}

function jidForms(phone: PhoneDependencies, person: string): string[] {
  const jid = jidOf(person);
  const lid = phone.link.directory.find(jid)?.lid;
  return lid === undefined ? [`${person}@lid`, jid] : [jid, `${lid}@lid`];
}

function changeIf(
  phone: PhoneDependencies,
  envelope: Envelope,
  messageId: string,
  allowed: (phone: PhoneDependencies, envelope: Envelope, target: MessageRecord) => boolean,
  change: (target: MessageRecord) => Partial<MessageRecord>,
): Filed {
  const target = phone.messages.find(envelope.chat_id, messageId)?.record;
  if (!target || !allowed(phone, envelope, target)) return { kind: "nothing" };
  phone.messages.change(envelope.chat_id, messageId, change);
  return { kind: "change" };
}

function isAuthor(_phone: PhoneDependencies, envelope: Envelope, target: MessageRecord): boolean {
  return target.from === envelope.from;
}

// Real phones ignore deletions by anyone but the author and, in groups, the admins.
function mayDelete(phone: PhoneDependencies, envelope: Envelope, target: MessageRecord): boolean {
  if (isAuthor(phone, envelope, target)) return true;
  const role = phone.link.group(envelope.chat_id)?.members.get(envelope.from);
  return role === "admin" || role === "superadmin";
}
