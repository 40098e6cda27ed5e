// Changes of messages on the owner's devices only, invisible to others. The bridge reports each change before it answers, so it is
// stored by then.
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import type { StoredMessage } from "./stored-message.ts";
import type { HandlersOf } from "../handlers.ts";
import { findTarget, type MessageDependencies } from "./dependencies.ts";

export function ownDevices(deps: MessageDependencies): HandlersOf<"messages.star" | "messages.clear"> {
  const { network, stores } = deps;
  return {
    "messages.star": async ({ chat_id, message_id, star }) => {
      const target = findTarget(deps, chat_id, message_id);
      return target.ok ? network.command("messages.star", { ref: target.value.ref, star }) : target;
    },

    "messages.clear": async ({ chat_id }) => {
      const chatId = stores.lids.chat(chat_id);
      if (!stores.chats.isKnown(chatId)) return fail("chat_not_found");
      return network.command("messages.clear", { chat_id: chatId, range: stores.messages.range(chatId) });
    },
  };
}

export function deleteForMe({ network }: MessageDependencies, { ref, timestamp }: StoredMessage): Promise<Outcome<Record<string, never>>> {
  return network.command("messages.delete_for_me", { ref, timestamp });
}
