// A separate number for every test: an empty object with the stores and the event projection.
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { EventProjection, type ProjectionResult } from "#root/durable-objects/connection/projection/event-projection.ts";
import { OwnSendProjection } from "#root/durable-objects/connection/messages/own-sends.ts";
import { migrate } from "#root/durable-objects/shared/migrate.ts";
import { STORE_MIGRATIONS, Stores } from "#root/durable-objects/connection/store/stores.ts";
import type { GatewayEvent, GatewayFact } from "@gateway/domain/gateway-event.ts";
import type { SendContent, SendRequest } from "@gateway/protocol/content.ts";
import type { KeyedEvent, MessageOrigin, NetworkEvent } from "@gateway/protocol/events.ts";
import { personOf } from "@gateway/protocol/ids.ts";
import { type NetworkMessage, type StoredMedia, NO_EXTRAS } from "@gateway/protocol/message.ts";

export const ANA = "5511988887777@c.us";
export const BIA = "5511977776666@c.us";
export const GROUP = "120363000000000001@g.us";
export const ana = { phone: "5511988887777", lid: null };
export const bia = { phone: "5511977776666", lid: null };

/** Unix seconds of the first event, and the ms at which the object receives it. */
export const T0 = 1_760_000_000;
export const NOW = T0 * 1000;

export type TestStores = {
  storage: DurableObjectStorage;
  sql: SqlStorage;
  stores: Stores;
  projection: EventProjection;
  ownSends: OwnSendProjection;
  /** Applies events without dedupe keys, each as a new one. */
  apply(...events: NetworkEvent[]): ProjectionResult;
  /** Applies these events and returns the emitted ones. */
  emitted(...events: NetworkEvent[]): GatewayEvent[];
};

/** Runs inside a fresh object. All events happen at NOW unless the test uses the projection itself. */
export function withStores<T>(run: (world: TestStores) => T | Promise<T>): Promise<T> {
  return runInDurableObject(env.CONNECTION.getByName(crypto.randomUUID()), async (_object, { storage }) => {
    await storage.deleteAlarm();
    await storage.deleteAll();
    migrate(storage, [["store", STORE_MIGRATIONS]]);
    const stores = new Stores(storage.sql);
    const projection = new EventProjection(stores);
    const ownSends = new OwnSendProjection(stores);
    const apply = (...events: NetworkEvent[]): ProjectionResult => projection.apply(events.map(keyed), NOW);
    const emitted = (...events: NetworkEvent[]): GatewayEvent[] => apply(...events).facts.map(({ event }) => event);
    return run({ storage, sql: storage.sql, stores, projection, ownSends, apply, emitted });
  });
}

let keys = 0;
function keyed(event: NetworkEvent): KeyedEvent {
  return { key: `test:${(keys += 1)}`, event };
}

export const types = (facts: readonly GatewayFact[]): string[] => facts.map(({ event }) => event.type);

let ids = 0;
export function newId(): string {
  return `3EB0${(ids += 1).toString(16).toUpperCase().padStart(12, "0")}`;
}

/** A text from Ana by default. */
export function message(change: Partial<NetworkMessage> = {}): NetworkMessage {
  const chatId = change.chat_id ?? ANA;
  const fromMe = change.from_me ?? false;
  return {
    message_id: newId(),
    chat_id: chatId,
    from_me: fromMe,
    sender: fromMe ? null : personOf(chatId),
    push_name: fromMe ? null : "Ana",
    timestamp: T0,
    type: "text",
    text: "Oi",
    media: null,
    ...NO_EXTRAS,
    raw: "cmF3",
    ...change,
  };
}

export function upsert(
  change: Partial<NetworkMessage> = {},
  origin: MessageOrigin = "live",
): Extract<NetworkEvent, { type: "message.upsert" }> {
  return { type: "message.upsert", origin, message: message(change) };
}

type Status = Extract<NetworkEvent, { type: "message.status" }>;
export function status(messageId: string, state: Status["status"], change: Partial<Status> = {}): Status {
  return { type: "message.status", chat_id: ANA, message_id: messageId, status: state, participant: null, timestamp: T0 + 10, ...change };
}

export function sendRequest(content: SendContent, change: Partial<SendRequest> = {}): SendRequest {
  return {
    message_id: newId(),
    chat_id: ANA,
    content,
    quoted: null,
    mentions: [],
    mention_all: false,
    typing_ms: 0,
    status: null,
    ...change,
  };
}

export const text = (body: string): SendContent => ({ kind: "text", text: body, preview: null });

export const image: StoredMedia = {
  token: "tok",
  mimetype: "image/jpeg",
  filename: null,
  size: 10,
  sha256: null,
  duration_seconds: null,
  width: 4,
  height: 3,
};

export function groupOf(subject: string): Extract<NetworkEvent, { type: "group.snapshot" }>["group"] {
  const settings = {
    messages_admins_only: false,
    info_admins_only: false,
    members_can_add: true,
    join_approval: false,
    disappearing_seconds: 0,
  };
  return {
    group_id: GROUP,
    subject,
    description: null,
    owner: null,
    created_at: T0,
    settings,
    community_id: null,
    is_announcement_group: false,
    participants: [],
  };
}
