import type { ChatId } from "@gateway/protocol/ids.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { NetworkClient } from "../session/network-client.ts";
import type { Stores } from "../store/stores.ts";
import type { HandlersOf } from "../handlers.ts";

/** If the request names no chat, history is requested for this many recent chats. */
const MAX_CHATS = 10;

export function historyOperations(network: NetworkClient, stores: Stores): HandlersOf<"instance.history" | "instance.sync_history"> {
  /** Requests messages older than the oldest stored one. The phone may send them at any later time. */
  const request = (chatId: ChatId, count: number): Promise<Outcome<Record<string, never>>> | null => {
    const oldest = stores.messages.oldest(chatId);
    return oldest === null ? null : network.command("chats.history", { chat_id: chatId, count, ...oldest });
  };

  return {
    "instance.history": () => succeed(stores.historySync.status()),

    "instance.sync_history": async ({ chat_id, count }) => {
      const chats = chat_id === null ? stores.chats.mostRecent(MAX_CHATS) : [stores.lids.chat(chat_id)];
      let requested = 0;
      for (const chat of chats) {
        const answer = await request(chat, count);
        if (answer?.ok === false) return answer;
        if (answer !== null) requested += 1;
      }
      if (requested === 0) return fail("chat_not_found");
      stores.historySync.record({ state: "running", progress: null });
      return succeed({});
    },
  };
}
