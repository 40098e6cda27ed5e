import type { BinaryNode } from "baileys";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import type { ChatId, Person } from "@gateway/protocol/ids.ts";
import { addressOf, asChatId, isPerson, personChat } from "../addressing/jids.ts";
import { lidMappingOf } from "../addressing/lid-mapping.ts";
import type { SessionContext } from "../session/session-context.ts";
import { presenceSubscriptionsOf } from "../memory/presence.ts";

type Presence = Extract<NetworkEvent, { type: "presence" }>["presence"];

export function presence(ctx: SessionContext, { attrs }: BinaryNode): void {
  const away = attrs["type"] === "unavailable";
  if (attrs["type"] !== undefined && attrs["type"] !== "available" && !away) return;
  const lastSeen = Number(attrs["last"]);
  emitPresence(ctx, attrs, away ? "offline" : "online", away && lastSeen > 0 ? lastSeen : null);
}

/** Read from the raw stanza, because the library turns "stopped typing" into "online". */
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
