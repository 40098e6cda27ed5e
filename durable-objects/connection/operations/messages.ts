// Reads of messages.
import type { Stores } from "../store/stores.ts";
import type { HandlersOf } from "./handlers.ts";

export function messageReadOperations({ messageReads }: Stores): HandlersOf<"messages.get" | "messages.list"> {
  return {
    "messages.get": ({ message_id, chat_id }) => {
      const value = messageReads.get(message_id, chat_id);
      return value === null ? { ok: false, failure: { code: "message_not_found" } } : { ok: true, value };
    },
    "messages.list": (input) => messageReads.list(input),
  };
}
