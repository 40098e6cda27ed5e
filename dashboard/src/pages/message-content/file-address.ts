import { addressFor } from "../../api/client.ts";
import type { Message } from "../chats/reads.ts";

/** Fetching it requires the session cookie, so this URL is useless to others. */
export function fileAddress(id: string, { chat_id, message_id }: Pick<Message, "chat_id" | "message_id">): string {
  return addressFor("GET /connections/{id}/chats/{chat_id}/messages/{message_id}/media", { id, chat_id, message_id });
}
