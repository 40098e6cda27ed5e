// Reads deletions, edits, timers and reactions from the messages themselves, because the library's events omit the changes' ids.
import { proto, type WAMessage } from "baileys";
import type { KeyedEvent } from "@gateway/protocol/events.ts";
import type { Person } from "@gateway/protocol/ids.ts";
import { beginningOf, type MessageSource, MAX_REACTION_CHARACTERS, mentionsByPhone } from "../content/network-message.ts";
import { numberOf, wholeNumberOf, unwrap } from "../content/unwrap.ts";
import { viewOf } from "../content/view.ts";
import { DEDUPE } from "../session/dedupe-keys.ts";
import { disappearingTimersOf } from "../memory/disappearing-timers.ts";
import { identityOf } from "../addressing/own-identity.ts";
import { lidMappingOf } from "../addressing/lid-mapping.ts";
import type { SessionContext } from "../session/session-context.ts";
import { chatEventQueueOf } from "./chat-event-queue.ts";
import { isEdit, messageSecretsOf, openEdit } from "../memory/message-secrets.ts";
import { decryptVote, pollsOf } from "../memory/polls.ts";

const { Type } = proto.Message.ProtocolMessage;

export function deletionOrEdit(
  ctx: SessionContext,
  message: WAMessage,
  source: MessageSource,
  change: proto.Message.IProtocolMessage,
): void {
  const event = changeEvent(ctx, message, source, change);
  if (event) chatEventQueueOf(ctx.session).enqueue(ctx, source.chatId, () => ctx.emit([event]));
}

export function changeEvent(
  ctx: SessionContext,
  message: WAMessage,
  source: MessageSource,
  change: proto.Message.IProtocolMessage,
): KeyedEvent | null {
  const { chatId } = source;
  const ownId = message.key.id ?? "";
  const timestamp = numberOf(message.messageTimestamp);
  switch (change.type) {
    case Type.REVOKE: {
      const target = change.key?.id;
      if (!target) return null;
      const { fromMe, author } = authorOf(ctx, source, change.key ?? {});
      const by = source.fromMe ? identityOf(ctx.session).own : source.sender;
      return {
        key: DEDUPE.change("delete", chatId, ownId),
        event: { type: "message.deleted", chat_id: chatId, message_id: target, from_me: fromMe, author, by, timestamp },
      };
    }
    case Type.MESSAGE_EDIT: {
      const target = change.key?.id;
      const text = viewOf(change.editedMessage)?.text;
      if (!target || text === null || text === undefined) return null;
      return {
        key: DEDUPE.change("edit", chatId, ownId),
        event: {
          type: "message.edited",
          chat_id: chatId,
          message_id: target,
          from_me: source.fromMe,
          sender: source.sender,
          text: mentionsByPhone(text, lidMappingOf(ctx.session)),
          timestamp: editedAt(change, timestamp),
        },
      };
    }
    case Type.EPHEMERAL_SETTING:
      // In groups, the server sends a notification about this change, including its author.
      if (chatId.endsWith("@g.us")) return null;
      disappearingTimersOf(ctx.session).set(chatId, change.ephemeralExpiration ?? 0);
      return {
        key: DEDUPE.change("disappearing", chatId, ownId),
        event: { type: "chat.updated", chat_id: chatId, disappearing_seconds: change.ephemeralExpiration ?? 0, timestamp },
      };
    default:
      return null;
  }
}

/** The edit's time by the sender's clock (Unix s), but no later than the network's time, because a later edit replaces an earlier one. */
function editedAt({ timestampMs }: proto.Message.IProtocolMessage, sentAt: number): number {
  return Math.min(Math.floor((wholeNumberOf(timestampMs) ?? 0) / 1_000) || sentAt, sentAt);
}

// The key in a deletion is written from the sender's point of view, so `fromMe` refers to the sender.
function authorOf(ctx: SessionContext, source: MessageSource, target: proto.IMessageKey): { fromMe: boolean; author: Person | null } {
  if (target.fromMe) return { fromMe: source.fromMe, author: source.sender };
  const lids = lidMappingOf(ctx.session);
  if (target.participant) {
    const fromMe = lids.isOwn(target.participant);
    return { fromMe, author: fromMe ? null : lids.person(target.participant) };
  }
  return { fromMe: !source.fromMe, author: null };
}

export function reaction(
  ctx: SessionContext,
  message: WAMessage,
  source: MessageSource,
  { key, text }: proto.Message.IReactionMessage,
): void {
  if (!key?.id) return;
  const event: KeyedEvent = {
    key: DEDUPE.change("reaction", source.chatId, message.key.id ?? ""),
    event: {
      type: "message.reaction",
      chat_id: source.chatId,
      message_id: key.id,
      from_me: source.fromMe,
      sender: source.sender,
      reaction: beginningOf(text ?? "", MAX_REACTION_CHARACTERS),
      timestamp: numberOf(message.messageTimestamp),
    },
  };
  chatEventQueueOf(ctx.session).enqueue(ctx, source.chatId, () => ctx.emit([event]));
}

// Edits from newer clients, which are encrypted under the secret of the edited message.

const { MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type;

/** The encryption key depends on the authors of the message and of the edit, so only the message's author can edit it. */
export function sealedEdit(
  ctx: SessionContext,
  message: WAMessage,
  source: MessageSource,
  sealed: proto.Message.ISecretEncryptedMessage,
): void {
  const id = sealed.targetMessageKey?.id;
  const author = source.fromMe ? identityOf(ctx.session).own : source.sender;
  if (!id || author === null) return;
  const found = messageSecretsOf(ctx.session)
    .find(ctx.rows, source.chatId, id)
    .catch(() => null);
  chatEventQueueOf(ctx.session).enqueueAfter(ctx, source.chatId, found, (secret) => {
    if (!isEdit(sealed)) return unreadable(ctx, id, "unknown_type");
    if (secret === null) return unreadable(ctx, id, "unknown_secret");
    const edited = openEdit(sealed, { id, secret, author });
    if (edited === null) return unreadable(ctx, id, "wrong_secret");
    const event = changeEvent(ctx, message, source, changeOf(edited, id));
    if (event) ctx.emit([event]);
  });
}

/** Clients encrypt either the whole change or just the new content. Both become a plain edit. */
function changeOf(edited: proto.IMessage, id: string): proto.Message.IProtocolMessage {
  const change = unwrap(edited).content.protocolMessage;
  return { ...(change ?? { editedMessage: edited }), type: MESSAGE_EDIT, key: { id } };
}

function unreadable(ctx: SessionContext, messageId: string, reason: string): void {
  ctx.metrics.editUnreadable(reason);
  ctx.logger.info({ messageId, reason }, "edit.unreadable");
}

export function vote(
  ctx: SessionContext,
  message: WAMessage,
  source: MessageSource,
  { pollCreationMessageKey, vote: sealed }: proto.Message.IPollUpdateMessage,
): void {
  const pollId = pollCreationMessageKey?.id;
  if (!pollId || !sealed) return;
  const { own } = identityOf(ctx.session);
  const voter = source.fromMe ? own : source.sender;
  if (voter === null) return;
  const poll = pollsOf(ctx.session)
    .find(ctx.rows, pollId)
    .catch(() => null);
  chatEventQueueOf(ctx.session).enqueueAfter(ctx, source.chatId, poll, (found) => {
    const options = found && decryptVote({ pollId, vote: sealed, own, voter }, found);
    if (!options) {
      ctx.logger.info({ pollId, known: found !== null }, "vote.unreadable");
      return ctx.metrics.troubled("unread", "vote", ctx.connection);
    }
    ctx.emit([
      {
        key: DEDUPE.change("vote", source.chatId, message.key.id ?? ""),
        event: {
          type: "poll.vote",
          chat_id: source.chatId,
          message_id: pollId,
          from_me: source.fromMe,
          voter: source.sender,
          options,
          timestamp: numberOf(message.messageTimestamp),
        },
      },
    ]);
  });
}
