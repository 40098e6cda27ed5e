import type { Outcome } from "@gateway/protocol/failures.ts";
import type { ChatId } from "@gateway/protocol/ids.ts";
import { registeredNumbersOf } from "../addressing/registered-numbers.ts";
import { setOwnPresence } from "../memory/own-presence.ts";
import type { SessionContext } from "../session/session-context.ts";
import { presenceSubscriptionsOf } from "../memory/presence-subscriptions.ts";
import type { CommandHandlers } from "./command-handlers.ts";

export const presenceCommands: CommandHandlers<"presence"> = {
  "presence.set": (ctx, { presence }) => setOwnPresence(ctx, presence),

  "presence.subscribe": async (ctx, { chat_ids, wait_ms }) => {
    const found = await chatsOnNetwork(ctx, chat_ids);
    if (!found.ok) return found;
    const subscriptions = presenceSubscriptionsOf(ctx.session);
    const present = found.value.filter((chatId) => chatId !== null);
    const answers = wait_ms === 0 ? [] : present.map((chatId) => subscriptions.nextPresence(chatId, wait_ms));
    for (const chatId of present) await subscriptions.subscribe(ctx, chatId);
    await Promise.all(answers);
    return { ok: true, value: { chat_ids: found.value } };
  },

  "presence.unsubscribe": async (ctx, { chat_id }) => {
    await presenceSubscriptionsOf(ctx.session).unsubscribe(ctx, chat_id);
    return { ok: true, value: {} };
  },
};

/** Uses the network's form of each number; null for numbers without an account, which never report a presence. */
async function chatsOnNetwork(ctx: SessionContext, chatIds: readonly ChatId[]): Promise<Outcome<(ChatId | null)[]>> {
  const phones = chatIds.flatMap((chatId) => phoneIn(chatId) ?? []);
  const found = await registeredNumbersOf(ctx.session).lookUpAll(ctx, phones);
  if (!found.ok) return found;
  const chatIdByNumber = (phone: string): ChatId | null => {
    const number = found.value.get(phone) ?? null;
    return number === null ? null : `${number}@c.us`;
  };
  const chats = chatIds.map((chatId) => {
    const phone = phoneIn(chatId);
    return phone === null ? chatId : chatIdByNumber(phone);
  });
  return { ok: true, value: chats };
}

function phoneIn(chatId: ChatId): string | null {
  return chatId.endsWith("@c.us") ? chatId.slice(0, chatId.indexOf("@")) : null;
}
