// Queries without filters; a test adds its own.
import type { ChatsQuery } from "../../../durable-objects/connection/store/chats/chat-queries.ts";
import type { MessagesQuery } from "../../../durable-objects/connection/store/messages/message-queries.ts";

export const ALL_CHATS: ChatsQuery = { limit: 50, cursor: null, archived: null, unread: null, kind: null, label_id: null, q: null };
export const ALL_MESSAGES: MessagesQuery = {
  chat_id: null,
  limit: 50,
  cursor: null,
  before: null,
  after: null,
  from_me: null,
  type: null,
  reference: null,
  status: null,
  q: null,
};
