import { type ChatKind, chatTitle } from "../chats.ts";

/** The person who wrote a message. Messages from before the pairing do not contain the name. */
export function authorOf({ push_name, from }: { push_name: string | null; from: string | null }, hidden: Record<ChatKind, string>): string {
  return chatTitle({ kind: "direct", name: push_name, phone: from }, hidden);
}
