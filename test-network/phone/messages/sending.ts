// Sends messages and message changes. Everything is stored before it is sent.
import { randomBytes } from "node:crypto";
import { generateMessageIDV2, isJidGroup, normalizeMessageContent, proto } from "baileys";
import { chatIdOf, isSharedChat, jidOf, STATUS_FEED } from "../addresses.ts";
import { changeChat } from "../chats.ts";
import { dispatch, groupSelf, type Parcel, type Withheld } from "./dispatch.ts";
import type { Envelope } from "./envelope.ts";
import { fileMessage, newRecord, readMedia } from "./inbox.ts";
import { pollOf, viewOf } from "./message-view.ts";
import { encodeContent, type OutgoingContent } from "./outgoing-content.ts";
import { nowSeconds, type PhoneDependencies } from "../dependencies.ts";
import { sealEventAnswer, sealVote, sealEdit } from "./poll-votes.ts";
import { trustContact } from "../privacy-tokens.ts";
import { done, refused, type Outcome } from "../refusal.ts";
import type { MessageRecord, StoredMessage } from "../store/messages.ts";

const { Type } = proto.Message.ProtocolMessage;

export type SendOptions = {
  quotedId?: string | undefined;
  mentions?: readonly string[] | undefined;
  audience?: readonly string[] | undefined;
  /** Set by echo phones, so that two of them do not reply to each other forever. */
  messageId?: string | undefined;
  withheld?: Withheld | undefined;
  contextBeside?: boolean | undefined;
  counterForgotten?: boolean | undefined;
};

export type Sent = {
  message_id: string;
  chat_id: string;
};

export async function sendContent(
  phone: PhoneDependencies,
  chatId: string,
  content: OutgoingContent,
  options: SendOptions = {},
): Promise<Outcome<Sent>> {
  const chat = jidOf(chatId);
  const unreachable = whyNot(phone, chat);
  if (unreachable) return unreachable;
  const quoted = options.quotedId === undefined ? null : phone.messages.find(chatIdOf(chat, phone.link.directory), options.quotedId);
  if (options.quotedId !== undefined && !quoted) return refused(404, "message_not_found", "the quoted message is not in this chat");
  const message = encodeContent(content, {
    upload: (sealed) => phone.link.storeBlob(sealed),
    context: contextFor(phone, quoted, options.mentions),
  });
  const id = options.messageId ?? generateMessageIDV2(phone.jid);
  const audience = chat === STATUS_FEED ? (options.audience ?? phone.link.people().map(({ pn }) => pn)) : undefined;
  const { withheld, contextBeside, counterForgotten } = options;
  const how = { ...(withheld && { withheld }), ...(contextBeside && { contextBeside }), ...(counterForgotten && { counterForgotten }) };
  await sendNew(phone, { id, chat, message, ...(audience && { audience }), ...how });
  return done({ message_id: id, chat_id: chatIdOf(chat, phone.link.directory) });
}

export async function react(
  phone: PhoneDependencies,
  chatId: string,
  messageId: string,
  reaction: string,
  asId?: string,
): Promise<Outcome<Sent>> {
  const target = find(phone, chatId, messageId);
  if (!target) return missing();
  const { record } = target;
  const reactionMessage = { key: keyOf(record), text: reaction, senderTimestampMs: Date.now() };
  return sendChange(phone, record, { reactionMessage }, { id: asId });
}

export async function edit(phone: PhoneDependencies, chatId: string, messageId: string, text: string): Promise<Outcome<Sent>> {
  const target = find(phone, chatId, messageId);
  if (!target) return missing();
  if (!target.record.from_me) return refused(403, "not_own_message", "only one's own messages can be edited");
  const protocolMessage = {
    key: keyOf(target.record),
    type: Type.MESSAGE_EDIT,
    editedMessage: { conversation: text },
    timestampMs: Date.now(),
  };
  const messageSecret = proto.Message.decode(target.content).messageContextInfo?.messageSecret;
  const plain = { editedMessage: { message: { protocolMessage } } };
  if (!phone.link.sealsEdits() || !messageSecret) return sendChange(phone, target.record, plain, { edit: "1" });
  const authorJid = selfIn(phone, target.record);
  const sealed = sealEdit({ protocolMessage }, { messageId, messageSecret, authorJid });
  const secretEncryptedMessage = { ...sealed, targetMessageKey: keyOf(target.record) };
  return sendChange(phone, target.record, plain, { edit: "1", sent: { secretEncryptedMessage } });
}

export async function deleteForEveryone(phone: PhoneDependencies, chatId: string, messageId: string): Promise<Outcome<Sent>> {
  const target = find(phone, chatId, messageId);
  if (!target) return missing();
  const { record } = target;
  const role = phone.link.group(record.chat_id)?.members.get(phone.pn);
  if (!record.from_me && (role === undefined || role === "member")) {
    return refused(403, "not_own_message", "only the author or an admin deletes for everyone");
  }
  return sendChange(phone, record, { protocolMessage: { key: keyOf(record), type: Type.REVOKE } }, { edit: record.from_me ? "7" : "8" });
}

export async function pin(phone: PhoneDependencies, chatId: string, messageId: string, on: boolean): Promise<Outcome<Sent>> {
  const target = find(phone, chatId, messageId);
  if (!target) return missing();
  const pinType = proto.Message.PinInChatMessage.Type;
  const message = {
    pinInChatMessage: { key: keyOf(target.record), type: on ? pinType.PIN_FOR_ALL : pinType.UNPIN_FOR_ALL, senderTimestampMs: Date.now() },
    messageContextInfo: { messageAddOnDurationInSecs: on ? 604_800 : 0 },
  };
  return sendChange(phone, target.record, message, { edit: "2" });
}

export async function vote(phone: PhoneDependencies, chatId: string, pollId: string, options: readonly string[]): Promise<Outcome<Sent>> {
  const target = find(phone, chatId, pollId);
  if (!target) return missing();
  const poll = proto.Message.decode(target.content);
  const known = pollOf(normalizeMessageContent(poll) ?? poll)?.options;
  const pollSecret = poll.messageContextInfo?.messageSecret;
  if (!known || !pollSecret) return refused(422, "not_a_poll", "this message is not a poll");
  const stranger = options.find((option) => !known.includes(option));
  if (stranger !== undefined) return refused(422, "unknown_option", "the poll has no such option");
  const voterJid = selfIn(phone, target.record);
  const creatorJid = target.record.from_me ? voterJid : target.record.wire.author;
  const sealed = sealVote(options, { pollId, pollSecret, creatorJid, voterJid });
  return sendChange(phone, target.record, {
    pollUpdateMessage: { pollCreationMessageKey: keyOf(target.record), vote: sealed, senderTimestampMs: Date.now() },
  });
}

export async function answerEvent(phone: PhoneDependencies, chatId: string, eventId: string, isComing: boolean): Promise<Outcome<Sent>> {
  const target = find(phone, chatId, eventId);
  if (!target) return missing();
  const event = proto.Message.decode(target.content);
  const pollSecret = event.messageContextInfo?.messageSecret;
  if (!normalizeMessageContent(event)?.eventMessage || !pollSecret) return refused(422, "not_an_event", "this message is not an event");
  const voterJid = selfIn(phone, target.record);
  const creatorJid = target.record.from_me ? voterJid : target.record.wire.author;
  const sealed = sealEventAnswer(isComing, { pollId: eventId, pollSecret, creatorJid, voterJid });
  return sendChange(phone, target.record, { encEventResponseMessage: { eventCreationMessageKey: keyOf(target.record), ...sealed } });
}

async function sendNew(phone: PhoneDependencies, parcel: Parcel): Promise<void> {
  const view = viewOf(parcel.message);
  if (!view) throw new Error("a message that cannot be shown was made");
  const envelope = ownEnvelope(phone, parcel);
  const stanza = await dispatch(phone, parcel);
  phone.commit(() => {
    const mentions = view.mentions.map((jid) => jid.replace(/@.*$/, ""));
    const record = newRecord(envelope, { ...view, mentions, media: readMedia(phone, parcel.message) });
    phone.messages.put({ ...record, status: "pending" }, proto.Message.encode(parcel.message).finish());
    changeChat(phone, envelope.chat_id, { deleted_at: null });
    phone.observer.onMessage(phone, { envelope, message: parcel.message, filed: { kind: "message", record } });
  });
  phone.counters.sent += 1;
  phone.link.send(stanza);
  const person = phone.link.directory.find(parcel.chat);
  if (person) trustContact(phone, person.pn);
}

/** Applies a change on this phone and sends it. Pass `sent` if the wire form differs. */
async function sendChange(
  phone: PhoneDependencies,
  target: MessageRecord,
  message: proto.IMessage,
  { edit: editCode, sent = message, id }: { edit?: Parcel["edit"]; sent?: proto.IMessage; id?: string | undefined } = {},
): Promise<Outcome<Sent>> {
  const parcel: Parcel = {
    id: id ?? generateMessageIDV2(phone.jid),
    chat: jidOf(target.chat_id),
    message: sent,
    ...(editCode && { edit: editCode }),
  };
  const unreachable = whyNot(phone, parcel.chat);
  if (unreachable) return unreachable;
  const stanza = await dispatch(phone, {
    ...parcel,
    message: { ...sent, messageContextInfo: { messageSecret: randomBytes(32), ...sent.messageContextInfo } },
  });
  phone.commit(() => {
    const envelope = ownEnvelope(phone, parcel);
    phone.observer.onMessage(phone, { envelope, message, filed: fileMessage(phone, envelope, message) });
  });
  phone.link.send(stanza);
  return done({ message_id: parcel.id, chat_id: target.chat_id });
}

function ownEnvelope(phone: PhoneDependencies, { id, chat }: Parcel): Envelope {
  return {
    message_id: id,
    chat_id: chatIdOf(chat, phone.link.directory),
    from: phone.pn,
    from_me: true,
    timestamp: nowSeconds(),
    push_name: null,
    wire: { chat, author: isJidGroup(chat) ? groupSelf(phone, chat) : phone.jid },
  };
}

function keyOf({ chat_id, message_id, from_me, wire }: MessageRecord): proto.IMessageKey {
  const shared = isSharedChat(chat_id);
  return { remoteJid: jidOf(chat_id), id: message_id, fromMe: from_me, ...(shared && !from_me && { participant: wire.author }) };
}

function selfIn(phone: PhoneDependencies, { wire }: MessageRecord): string {
  if (isJidGroup(wire.chat)) return groupSelf(phone, wire.chat);
  return wire.chat.endsWith("@lid") ? phone.lid : phone.jid;
}

function contextFor(
  phone: PhoneDependencies,
  quoted: StoredMessage | null,
  mentions: readonly string[] | undefined,
): proto.IContextInfo | null {
  if (!quoted && !mentions?.length) return null;
  const context: proto.IContextInfo = {};
  if (mentions?.length) context.mentionedJid = mentions.map(jidOf);
  if (!quoted) return context;
  const original = proto.Message.decode(quoted.content);
  const { messageContextInfo: _secret, ...quotedMessage } = normalizeMessageContent(original) ?? original;
  return {
    ...context,
    stanzaId: quoted.record.message_id,
    participant: quoted.record.from_me ? phone.jid : quoted.record.wire.author,
    quotedMessage,
  };
}

function find(phone: PhoneDependencies, chatId: string, messageId: string): StoredMessage | null {
  return phone.messages.find(chatIdOf(jidOf(chatId), phone.link.directory), messageId);
}

function missing() {
  return refused(404, "message_not_found", "the phone has no such message in this chat");
}

function whyNot(phone: PhoneDependencies, chat: string) {
  if (isJidGroup(chat)) {
    const group = phone.link.group(chat);
    if (!group) return refused(404, "group_not_found", "there is no such group");
    return group.members.has(phone.pn) ? null : refused(403, "not_a_member", "this phone is not in the group");
  }
  if (chat.endsWith("@newsletter")) {
    return phone.link.channels().some(({ id }) => id === chat) ? null : refused(404, "channel_not_found", "there is no such channel");
  }
  if (chat === STATUS_FEED) return null;
  return phone.link.directory.find(chat) ? null : refused(404, "unknown_number", "no account with this number is on the network");
}
