import type { SendSettled } from "../../../src/protocol/events.ts";
import { type NetworkMessage, PLAIN } from "../../../src/protocol/message.ts";
import { OTHER } from "./connection.ts";

/** An own text as the network took it. */
export function ownText(messageId: string, text: string, change: Partial<NetworkMessage> = {}): NetworkMessage {
  return {
    message_id: messageId,
    chat_id: `${OTHER}@c.us`,
    from_me: true,
    sender: null,
    push_name: null,
    timestamp: 1_900_000_000,
    type: "text",
    text,
    media: null,
    ...PLAIN,
    raw: "cmF3",
    ...change,
  };
}

export function theirText(messageId: string, text: string, change: Partial<NetworkMessage> = {}): NetworkMessage {
  return { ...ownText(messageId, text), from_me: false, sender: { phone: OTHER, lid: null }, push_name: "Bia", ...change };
}

export function acknowledged(messageId: string, text: string, change: Partial<NetworkMessage> = {}): SendSettled["outcome"] {
  return { kind: "acknowledged", timestamp: 1_900_000_001, to_resolved: null, message: ownText(messageId, text, change) };
}
