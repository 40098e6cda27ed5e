import { NETWORK, note, type Notes, SENDING } from "./note.ts";

const CHANGE = [...NETWORK, "chat_not_found"] as const;

export const chatNotes: Notes = {
  "GET /chats": note([], undefined, { query: { limit: 20 } }),
  "GET /chats/{chatId}": note(["chat_not_found"]),
  "DELETE /chats/{chatId}": note(CHANGE),
  "POST /chats/{chatId}/seen": note(CHANGE),
  "POST /chats/{chatId}/unread": note(CHANGE),
  "POST /chats/{chatId}/archive": note(CHANGE),
  "POST /chats/{chatId}/unarchive": note(CHANGE),
  "POST /chats/{chatId}/pin": note([...CHANGE, "pin_limit"]),
  "POST /chats/{chatId}/unpin": note(CHANGE),
  "POST /chats/{chatId}/mute": { ...note(CHANGE, { duration_seconds: 28_800 }), description: "Without `duration_seconds`: for ever." },
  "POST /chats/{chatId}/unmute": note(CHANGE),
  "POST /chats/{chatId}/typing": note([...NETWORK, "number_not_on_network"], { state: "typing", duration_ms: 1000 }),
  "PUT /chats/{chatId}/disappearing": note([...SENDING, "not_group_admin"], { seconds: 86_400 }),
  "GET /chats/{chatId}/picture": note([...NETWORK, "contact_not_found", "picture_not_found"], undefined, { query: { size: "preview" } }),
  "GET /chats/{chatId}/presence": {
    ...note([...NETWORK, "number_not_on_network", "subscription_limit"]),
    description:
      "The first read subscribes the chat. The network shows the presence of others only to those who show themselves online (`PUT /presence`).",
  },
  "POST /chats/{chatId}/presence/subscribe": {
    ...note([...NETWORK, "number_not_on_network", "subscription_limit"]),
    description: "Makes the event `presence` arrive for this chat. Up to 500 chats.",
  },
  "DELETE /chats/{chatId}/presence/subscribe": note([]),
};
