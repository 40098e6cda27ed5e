// A sequence of texts from unknown senders, used to fill a store.
import type { KeyedEvent } from "@gateway/protocol/events.ts";
import { type NetworkMessage, NO_EXTRAS } from "@gateway/protocol/message.ts";

/** Time of the first text, in Unix seconds. */
export const T0 = 1_760_000_000;

export const chatId = (n: number): string => `55119${String(n).padStart(8, "0")}@c.us`;
export const messageId = (n: number): string => `3EB0${n.toString(16).toUpperCase().padStart(18, "0")}`;

/** The nth text overall, sent in the given chat. */
export function arrival(chat: number, n: number): KeyedEvent {
  const id = chatId(chat);
  const message: NetworkMessage = {
    message_id: messageId(n),
    chat_id: id,
    from_me: false,
    sender: { phone: id.slice(0, -5), lid: null },
    push_name: `Pessoa ${chat} da Silva`,
    timestamp: T0 + n,
    type: "text",
    text: "Bom dia, tudo bem? O pedido já saiu?",
    media: null,
    ...NO_EXTRAS,
    raw: "A".repeat(300),
  };
  return { key: `message:${id}:in:${message.message_id}`, event: { type: "message.upsert", origin: "live", message } };
}
