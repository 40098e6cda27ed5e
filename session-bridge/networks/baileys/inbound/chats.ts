import type { Chat, ChatUpdate, BinaryNode } from "baileys";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import type { ChatId, Person } from "@gateway/protocol/ids.ts";
import { numberOf } from "../content/unwrap.ts";
import { chatIdOf, lidMappingOf } from "../addressing/lid-mapping.ts";
import { endOfDeletion } from "../socket/library-log.ts";
import type { SessionContext } from "../session/session-context.ts";
import { addressOf, asChatId, isPerson, personChat } from "../addressing/jids.ts";
import { presenceSubscriptionsOf } from "../memory/presence.ts";

type ChatUpdated = Extract<NetworkEvent, { type: "chat.updated" }>;
type Changes = Omit<ChatUpdated, "type" | "chat_id">;

export function chatsUpdate(ctx: SessionContext, updates: readonly ChatUpdate[]): void {
  for (const update of updates) {
    const changes = changesOf(update);
    const chatId = Object.keys(changes).length === 0 ? null : chatIdOf(ctx, update.id);
    if (chatId !== null) ctx.emit([{ key: null, event: { type: "chat.updated", chat_id: chatId, ...changes } }]);
  }
}

export function chatsDelete(ctx: SessionContext, jids: readonly string[]): void {
  for (const jid of jids) {
    const chatId = chatIdOf(ctx, jid);
    if (chatId === null) continue;
    const through = endOfDeletion(jid);
    ctx.emit([{ key: null, event: { type: "chat.deleted", chat_id: chatId, ...(through !== null && { through }) } }]);
  }
}

/** Time and unread count are omitted, because the object derives them from the messages. */
function changesOf({ archived, pinned, muteEndTime, unreadCount, messages }: ChatUpdate): Changes {
  return {
    ...(typeof archived === "boolean" && { archived }),
    ...(pinned !== undefined && { pinned: pinned !== null && pinned > 0 }),
    ...(muteEndTime !== undefined && { muted_until: mutedUntil(muteEndTime) }),
    ...(messages === undefined && markedAs(unreadCount)),
  };
}

// 0 means read on another device, and -1 means marked as unread there. Other values are the library's own unread count.
function markedAs(unreadCount: number | null | undefined): Pick<Changes, "unread_count" | "marked_unread"> {
  if (unreadCount === 0) return { unread_count: 0, marked_unread: false };
  return unreadCount === -1 ? { marked_unread: true } : {};
}

export function historyChat(chat: Chat): Changes {
  return {
    ...(chat.name && { name: chat.name }),
    ...(typeof chat.archived === "boolean" && { archived: chat.archived }),
    ...(chat.pinned !== null && chat.pinned !== undefined && { pinned: chat.pinned > 0 }),
    ...(chat.muteEndTime !== null && chat.muteEndTime !== undefined && { muted_until: mutedUntil(chat.muteEndTime) }),
    ...(typeof chat.unreadCount === "number" && chat.unreadCount >= 0 && { unread_count: chat.unreadCount }),
    ...(chat.markedAsUnread === true && { marked_unread: true }),
    ...(typeof chat.ephemeralExpiration === "number" && { disappearing_seconds: chat.ephemeralExpiration }),
    ...(numberOf(chat.conversationTimestamp) > 0 && { timestamp: numberOf(chat.conversationTimestamp) }),
  };
}

const FOR_EVER = -1;
const MILLISECONDS_FROM = 100_000_000_000;
const FOR_EVER_FROM = 100_000_000_000_000;

/** App state uses milliseconds, and history uses seconds. "Always" is -1, as a signed or unsigned 64-bit number, and 0 means not muted. */
export function mutedUntil(end: unknown): number | null {
  if (end === null) return null;
  const value = numberOf(end);
  if (value === 0) return null;
  if (value < 0 || value > FOR_EVER_FROM) return FOR_EVER;
  return value > MILLISECONDS_FROM ? Math.floor(value / 1000) : value;
}

type Presence = Extract<NetworkEvent, { type: "presence" }>["presence"];

export function presence(ctx: SessionContext, { attrs }: BinaryNode): void {
  const away = attrs["type"] === "unavailable";
  if (attrs["type"] !== undefined && attrs["type"] !== "available" && !away) return;
  const lastSeen = Number(attrs["last"]);
  emitPresence(ctx, attrs, away ? "offline" : "online", away && lastSeen > 0 ? lastSeen : null);
}

/** Reads the raw stanza, because the library turns "stopped typing" into "online". */
export function chatState(ctx: SessionContext, { attrs, content }: BinaryNode): void {
  const [state] = Array.isArray(content) ? content : [];
  if (state?.tag === "paused") emitPresence(ctx, attrs, "paused", null);
  else if (state?.tag === "composing") emitPresence(ctx, attrs, state.attrs["media"] === "audio" ? "recording" : "typing", null);
}

function emitPresence(ctx: SessionContext, attrs: BinaryNode["attrs"], presence: Presence, lastSeen: number | null): void {
  const subscriptions = presenceSubscriptionsOf(ctx.session);
  if (subscriptions.size === 0) return;
  const source = sourceOf(ctx, attrs);
  const chatId = source && subscriptions.find(source.chatId, source.person);
  if (source === null || chatId === null) return;
  ctx.emit([
    {
      key: null,
      event: {
        type: "presence",
        chat_id: chatId,
        person: source.person,
        presence,
        last_seen: lastSeen,
        timestamp: Math.floor(ctx.now() / 1000),
      },
    },
  ]);
  subscriptions.received(chatId);
}

function sourceOf(ctx: SessionContext, attrs: BinaryNode["attrs"]): { chatId: ChatId; person: Person } | null {
  const lids = lidMappingOf(ctx.session);
  const address = addressOf(attrs["from"]);
  if (address === null) return null;
  if (isPerson(address)) {
    const person = lids.person(attrs["from"], attrs["sender_pn"] ?? attrs["sender_lid"]);
    return person && { chatId: personChat(person), person };
  }
  const chatId = asChatId(address.id);
  const person = lids.person(attrs["participant"], attrs["participant_pn"] ?? attrs["participant_lid"]);
  return chatId !== null && person ? { chatId, person } : null;
}
