// Projects network events into records and gateway events. Synchronous, so that they are committed together with the deliveries.
import type { GatewayFact } from "@gateway/domain/gateway-event.ts";
import type { KeyedEvent, NetworkEvent, SendSettled, SessionEvent } from "@gateway/protocol/events.ts";
import { messageUpsertEventHandlers } from "../messages/project-upserts.ts";
import { chatEventHandlers } from "../chats/projection.ts";
import { groupEventHandlers } from "../groups/projection.ts";
import { messageChangeEventHandlers } from "../messages/project-changes.ts";
import { peopleEventHandlers } from "../contacts/projection.ts";
import { limitEventHandlers } from "../instance/projection.ts";
import { messageStatusEventHandlers } from "../messages/project-statuses.ts";
import { type Events, type ProjectionResult, ProjectionContext, type EventHandlers } from "./projection-context.ts";
import type { Stores } from "../store/stores.ts";

export type { ProjectionResult } from "./projection-context.ts";

type ProjectedType = Exclude<NetworkEvent["type"], SessionEvent["type"] | "send.settled">;

/** Has an entry for every projected event, so that a missing handler is a compile error. */
const HANDLERS: EventHandlers<ProjectedType> = {
  ...messageUpsertEventHandlers,
  ...messageStatusEventHandlers,
  ...messageChangeEventHandlers,
  ...chatEventHandlers,
  ...groupEventHandlers,
  ...peopleEventHandlers,
  ...limitEventHandlers,
};

/** Events whose own row shows that they were applied. Their handler claims the key only if there is no row. */
const WITHOUT_KEY: ReadonlySet<NetworkEvent["type"]> = new Set(["message.upsert", "message.status"]);

type SettleSend = (event: SendSettled) => GatewayFact[];

export class EventProjection {
  readonly #stores: Stores;

  constructor(stores: Stores) {
    this.#stores = stores;
  }

  /** Applies a batch in order, idempotently. Calls `settle` at each `send.settled`, because a later receipt needs its message. */
  apply(events: readonly KeyedEvent[], now: number, settle: SettleSend = () => []): ProjectionResult {
    const context = new ProjectionContext(this.#stores, now);
    const phoneOf = (lid: string): string | null => this.#stores.lids.phoneOf(lid);
    const { facts } = context.result;
    for (const { key, event, trace } of events) {
      context.startEvent(key);
      const isNew = WITHOUT_KEY.has(event.type) || context.claimKey();
      if (!isNew && event.type !== "message.media") continue;
      const resolved = resolveLids(event, phoneOf);
      const before = facts.length;
      if (isNew) this.#project(resolved, context, settle);
      if (trace !== undefined) for (const fact of facts.slice(before)) fact.trace = trace;
      this.#dropUnusedFile(resolved);
    }
    return context.result;
  }

  /** Deletes a file that is not needed, because the same message already has one or the message was deleted. */
  #dropUnusedFile(event: NetworkEvent): void {
    if (event.type !== "message.upsert" && event.type !== "message.media") return;
    const { chat_id: chatId, message_id: messageId, media } = event.type === "message.upsert" ? event.message : event;
    const token = media?.token ?? null;
    if (token !== null) this.#stores.messages.dropUnusedFile(chatId, messageId, token);
  }

  #project(event: NetworkEvent, context: ProjectionContext, settle: SettleSend): void {
    if (event.type === "send.settled") context.result.facts.push(...settle(event));
    else if (isSessionEvent(event)) this.#projectSession(event, context);
    else dispatch(event.type, event, context);
  }

  #projectSession(event: SessionEvent, { result, stores }: ProjectionContext): void {
    result.sessionEvents.push(event);
    if (event.type === "session.history") stores.historySync.record(event);
    if (event.type === "session.paired") stores.historySync.reset();
    if (event.type !== "session.open") return;
    stores.groups.setSelf(event.phone, event.lid);
    if (event.lid !== null) stores.mergeIdentities(event.lid, event.phone);
  }
}

function isSessionEvent(event: NetworkEvent): event is SessionEvent {
  return event.type.startsWith("session.");
}

function dispatch<T extends ProjectedType>(type: T, event: Events[T], context: ProjectionContext): void {
  HANDLERS[type](event, context);
}

type PhoneLookup = (lid: string) => string | null;

const LID_CHAT = /^(\d+)@lid$/;

/** Resolves every person known only by LID, and every `<lid>@lid` chat id. Returns the same value if nothing can be resolved. */
function resolveLids<T>(value: T, phoneOf: PhoneLookup): T {
  // The cast is safe, because only strings and nulls are replaced by strings and the shape stays the same.
  return resolveValue(value, phoneOf) as T;
}

function resolveValue(value: unknown, phoneOf: PhoneLookup): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => resolveValue(item, phoneOf));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  let changed: Record<string, unknown> | null = null;
  for (const [name, part] of Object.entries(value)) {
    const known = name === "chat_id" ? resolveChatId(part, phoneOf) : resolveValue(part, phoneOf);
    if (known !== part) changed = { ...(changed ?? value), [name]: known };
  }
  const phone = "phone" in value && value.phone === null && "lid" in value && typeof value.lid === "string" ? phoneOf(value.lid) : null;
  return phone === null ? (changed ?? value) : { ...(changed ?? value), phone };
}

function resolveChatId(chatId: unknown, phoneOf: PhoneLookup): unknown {
  const lid = typeof chatId === "string" ? LID_CHAT.exec(chatId)?.[1] : undefined;
  const phone = lid === undefined ? null : phoneOf(lid);
  return phone === null ? chatId : `${phone}@c.us`;
}
