// Being online, and seeing who else is.
import type { Outcome } from "../../../../src/protocol/failures.ts";
import type { ChatId } from "../../../../src/protocol/ids.ts";
import { numbersOf } from "../addressing/registered-numbers.ts";
import { showPresence } from "../memory/own-presence.ts";
import type { SessionContext } from "../session/session-context.ts";
import { watchedChatsOf } from "../memory/presence-subscriptions.ts";
import type { Runners } from "./runners.ts";

export const presenceRunners: Runners<"presence"> = {
  "presence.set": (ctx, { presence }) => showPresence(ctx, presence),

  "presence.subscribe": async (ctx, { chat_ids, wait_ms }) => {
    const found = await chatsOnNetwork(ctx, chat_ids);
    if (!found.ok) return found;
    const watched = watchedChatsOf(ctx.link);
    const present = found.value.filter((chatId) => chatId !== null);
    const words = wait_ms === 0 ? [] : present.map((chatId) => watched.firstWord(chatId, wait_ms));
    for (const chatId of present) await watched.add(ctx, chatId);
    await Promise.all(words);
    return { ok: true, value: { chat_ids: found.value } };
  },

  "presence.unsubscribe": async (ctx, { chat_id }) => {
    await watchedChatsOf(ctx.link).remove(ctx, chat_id);
    return { ok: true, value: {} };
  },
};

/** As the network spells their numbers. Of nobody there is nothing to see: asked for, such a number would be silent for ever. */
async function chatsOnNetwork(ctx: SessionContext, chatIds: readonly ChatId[]): Promise<Outcome<(ChatId | null)[]>> {
  const phones = chatIds.flatMap((chatId) => phoneIn(chatId) ?? []);
  const found = await numbersOf(ctx.link).findAll(ctx, phones);
  if (!found.ok) return found;
  const spelled = (phone: string): ChatId | null => {
    const spelling = found.value.get(phone) ?? null;
    return spelling === null ? null : `${spelling}@c.us`;
  };
  const chats = chatIds.map((chatId) => {
    const phone = phoneIn(chatId);
    return phone === null ? chatId : spelled(phone);
  });
  return { ok: true, value: chats };
}

function phoneIn(chatId: ChatId): string | null {
  return chatId.endsWith("@c.us") ? chatId.slice(0, chatId.indexOf("@")) : null;
}
