import type { SendRequest } from "@gateway/protocol/content.ts";
import type { NetworkEvent, SendSettled } from "@gateway/protocol/events.ts";
import { type NetworkMessage, NO_EXTRAS } from "@gateway/protocol/message.ts";
import type { FakeSession } from "./bridge.ts";
import { OTHER } from "./connection.ts";

/** A text of our own, as accepted by the network. */
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
    ...NO_EXTRAS,
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

/** Unix seconds. */
export const ago = (seconds: number) => Math.floor(Date.now() / 1000) - seconds;
const upsert = (message: NetworkMessage): NetworkEvent => ({
  type: "message.upsert",
  origin: message.from_me ? "own_device" : "live",
  message,
});

/** Texts sent five seconds ago, as they come from the network. */
export const mine = (id: string, change: Partial<NetworkMessage> = {}) => upsert(ownText(id, "mine", { timestamp: ago(5), ...change }));
export const theirs = (id: string, change: Partial<NetworkMessage> = {}) =>
  upsert(theirText(id, "theirs", { timestamp: ago(5), ...change }));

/** The network accepts the next send. */
export async function taken(session: FakeSession): Promise<SendRequest> {
  const request = (await session.answer("send")) as SendRequest;
  await session.settle(request.message_id, acknowledged(request.message_id, "", { type: request.content.kind, chat_id: request.chat_id }));
  return request;
}
