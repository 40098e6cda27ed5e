// Events after the Connection object has processed them. Both webhook styles render them.
import type { Ban, NetworkEvent, Restriction } from "@gateway/protocol/events.ts";
import type { Failure } from "@gateway/protocol/failures.ts";
import type { Person } from "@gateway/protocol/ids.ts";
import type { InstanceStatus } from "@gateway/protocol/connection.ts";
import type { MessageRecord } from "@gateway/protocol/records.ts";

type Network<T extends NetworkEvent["type"]> = Extract<NetworkEvent, { type: T }>;

export type GatewayEvent =
  | { type: "message.received"; message: MessageRecord }
  | { type: "message.sent"; message: MessageRecord }
  | {
      type: "message.status";
      message_id: string;
      chat_id: string;
      recipient: Person | null;
      is_group: boolean;
      participant: Person | null;
      status: "delivered" | "read" | "played" | "failed";
      failure: Failure | null;
      reference: string | null;
      timestamp: number;
    }
  | Network<"message.reaction">
  | Network<"message.edited">
  | Network<"message.deleted">
  | Network<"poll.vote">
  | Network<"group.participants">
  | Network<"group.updated">
  | Network<"call">
  | Network<"presence">
  /** The announced status is `connecting` only after 10 s without a connection (docs/internals/statuses.md, "Statuses of an instance"). */
  | {
      type: "instance.status";
      status: InstanceStatus;
      previous_status: InstanceStatus;
      reason: string;
      restriction: Restriction | null;
      ban: Ban | null;
      phone: string | null;
      profile_name: string | null;
      will_reconnect: boolean;
      timestamp: number;
    }
  | { type: "instance.qr"; raw: string; image: string; expires_at: number; attempt: number; timestamp: number }
  | { type: "label.updated"; label_id: string; name: string; color: number; timestamp: number }
  | { type: "label.deleted"; label_id: string; name: string | null; timestamp: number }
  | {
      type: "label.chat";
      label_id: string;
      name: string | null;
      chat_id: string;
      phone: string | null;
      labelled: boolean;
      timestamp: number;
    }
  | {
      type: "contact.created";
      person: Person;
      name: string | null;
      push_name: string | null;
      source: "saved" | "detected";
      timestamp: number;
    };

/** `key` is the dedupe key of a delivery. `at` is when the event happened (Unix ms). `trace` is the `traceparent` for its deliveries. */
export type GatewayFact = { key: string; at: number; event: GatewayEvent; trace?: string };

export type InstanceRef = { id: number; uuid: string; name: string; phone: string | null };

/** In Unix ms. The network reports seconds, so the time of receipt determines the order within the same second. */
export function eventTimeMs(timestamp: number, receivedAt: number): number {
  const first = timestamp * 1_000;
  return Math.min(Math.max(first, receivedAt), first + 999);
}
