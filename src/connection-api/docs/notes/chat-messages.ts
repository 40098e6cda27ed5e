import { NETWORK, note, type Notes, SENDING } from "./note.ts";

const ON_MESSAGE = [...SENDING, "message_not_found"] as const;

export const chatMessageNotes: Notes = {
  "GET /chats/{chatId}/messages": note(["chat_not_found"], undefined, { query: { limit: 20 } }),
  "DELETE /chats/{chatId}/messages": note([...NETWORK, "chat_not_found"]),
  "GET /chats/{chatId}/messages/{messageId}": note(["message_not_found"]),
  "PUT /chats/{chatId}/messages/{messageId}": {
    ...note([...ON_MESSAGE, "forbidden", "edit_window_closed"], { text: "Olá, tudo bem?" }),
    description: "Only own messages, up to 15 minutes after they were sent.",
  },
  "DELETE /chats/{chatId}/messages/{messageId}": note([...ON_MESSAGE, "forbidden", "delete_window_closed"], undefined, {
    query: { for_everyone: true },
  }),
  "PUT /chats/{chatId}/messages/{messageId}/reaction": {
    ...note(ON_MESSAGE, { reaction: "👍" }),
    description: "Empty removes the reaction.",
  },
  "PUT /chats/{chatId}/messages/{messageId}/star": note([...NETWORK, "message_not_found"], { star: true }),
  "POST /chats/{chatId}/messages/{messageId}/pin": note([...ON_MESSAGE, "not_group_admin"], { duration_seconds: 86_400 }),
  "POST /chats/{chatId}/messages/{messageId}/unpin": note([...ON_MESSAGE, "not_group_admin"]),
  "GET /chats/{chatId}/messages/{messageId}/media": note([...NETWORK, "message_not_found", "media_expired"]),
  "GET /chats/{chatId}/messages/{messageId}/votes": note(["message_not_found"]),
};
