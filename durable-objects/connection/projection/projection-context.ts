import { type GatewayEvent, type GatewayFact, eventTimeMs } from "@gateway/domain/gateway-event.ts";
import type { NetworkEvent, SessionEvent } from "@gateway/protocol/events.ts";
import type { Failure } from "@gateway/protocol/failures.ts";
import type { NetworkMessage } from "@gateway/protocol/message.ts";
import type { Stores } from "../store/stores.ts";

export type Events = { [T in NetworkEvent["type"]]: Extract<NetworkEvent, { type: T }> };

export type EventHandlers<T extends NetworkEvent["type"]> = { [K in T]: (event: Events[K], context: ProjectionContext) => void };

export type ProjectionResult = {
  facts: GatewayFact[];
  sessionEvents: SessionEvent[];
  /** Our own messages that were certainly sent, as a receipt or a copy from another device proves. */
  confirmedSends: string[];
  /** Accepted messages that failed later, or failed messages that were delivered after all (`failure` is null). */
  recountedSends: { messageId: string; failure: Failure | null }[];
  received: NetworkMessage["type"][];
  profileName?: string | null;
};

export class ProjectionContext {
  readonly stores: Stores;
  readonly now: number;
  readonly result: ProjectionResult = { facts: [], sessionEvents: [], confirmedSends: [], recountedSends: [], received: [] };
  #key: string | null = null;

  constructor(stores: Stores, now: number) {
    this.stores = stores;
    this.now = now;
  }

  startEvent(key: string | null): void {
    this.#key = key;
  }

  /** Claims the event's key. Returns false if the event has already been applied. */
  claimKey(): boolean {
    return this.#key === null || this.stores.dedupeKeys.claim(this.#key, this.now);
  }

  /** Emits an event under its dedupe key. Without one, the key contains the time, so that every occurrence is a new event. */
  emit(event: GatewayEvent, timestamp: number): void {
    this.emitAs(this.#key ?? `${event.type}|${this.now}|${this.result.facts.length}`, event, timestamp);
  }

  /** `key` is the event's permanent key. `timestamp` is in Unix seconds. */
  emitAs(key: string, event: GatewayEvent, timestamp: number): void {
    this.result.facts.push({ key, at: eventTimeMs(timestamp, this.now + this.result.facts.length), event });
  }

  get nowSeconds(): number {
    return Math.floor(this.now / 1000);
  }
}
