// What was there before this number was linked: how far it has come, and asking the phone for more.
import type { ChatId } from "../../../src/protocol/ids.ts";
import { fail, type Outcome } from "../../../src/protocol/failures.ts";
import type { NetworkClient } from "../session/network-client.ts";
import type { Stores } from "../store/stores.ts";
import type { HandlersOf } from "./handlers.ts";

/** Without a chat, the phone is asked about those that were last used. */
const MAX_CHATS = 10;

export function historyOperations(network: NetworkClient, stores: Stores): HandlersOf<"instance.history" | "instance.sync_history"> {
  /** What is older than all that is here of the chat. The phone answers in its own time. */
  const askFor = (chatId: ChatId, count: number): Promise<Outcome<Record<string, never>>> | null => {
    const oldest = stores.messages.oldest(chatId);
    return oldest === null ? null : network.command("chats.history", { chat_id: chatId, count, ...oldest });
  };

  return {
    "instance.history": () => ({ ok: true, value: stores.historySync.status() }),

    "instance.sync_history": async ({ chat_id, count }) => {
      const chats = chat_id === null ? stores.chats.mostRecent(MAX_CHATS) : [stores.lids.chat(chat_id)];
      let asked = 0;
      for (const chat of chats) {
        const answer = await askFor(chat, count);
        if (answer?.ok === false) return answer;
        if (answer !== null) asked += 1;
      }
      // The phone says what is older than a message that it is shown: without one there is nothing to ask.
      if (asked === 0) return fail("chat_not_found");
      stores.historySync.record({ state: "running", progress: null });
      return { ok: true, value: {} };
    },
  };
}
