// Reads of chats.
import type { Stores } from "../store/stores.ts";
import type { HandlersOf } from "./handlers.ts";

export function chatOperations({ chatReads }: Stores): HandlersOf<"chats.list"> {
  return { "chats.list": (input) => chatReads.list(input) };
}
