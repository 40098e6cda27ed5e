import { type ChatId, chatKind } from "@gateway/protocol/ids.ts";

/**
 * When the network again allows a message to this chat (Unix ms); null: the network does not say. Undefined: the chat is not affected,
 * because the restriction covers only new chats with people.
 */
export function newChatsBlockedUntil(
  restriction: { ends_at: number | null } | null,
  chatId: ChatId,
  isKnown: (chatId: ChatId) => boolean,
  now: number,
): number | null | undefined {
  if (restriction === null || chatKind(chatId) !== "direct" || isKnown(chatId)) return undefined;
  if (restriction.ends_at === null) return null;
  const endsAt = restriction.ends_at * 1000;
  return endsAt <= now ? undefined : endsAt;
}
