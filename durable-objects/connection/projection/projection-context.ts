// One batch of events on its way into the stores, and what comes out of it.
import { type GatewayEvent, type GatewayFact, eventTimeMs } from "../../../src/domain/gateway-event.ts";
import type { NetworkEvent, SessionEvent } from "../../../src/protocol/events.ts";
import type { Stores } from "../store/stores.ts";

/** Events by their type. */
export type Events = { [T in NetworkEvent["type"]]: Extract<NetworkEvent, { type: T }> };

/** What a file of this folder returns: one function per event type, synchronous. */
export type EventHandlers<T extends NetworkEvent["type"]> = { [K in T]: (event: Events[K], context: ProjectionContext) => void };

export type ProjectionResult = {
  /** In the order in which things happened here. */
  facts: GatewayFact[];
  /** For the state machine of the session. */
  sessionEvents: SessionEvent[];
  /** Own messages that something else than `send.settled` proved to have gone: a receipt, or a copy from another device. */
  confirmedSends: string[];
  /** Set when the profile's name changed. */
  profileName?: string | null;
};

export class ProjectionContext {
  readonly stores: Stores;
  /** Unix ms. */
  readonly now: number;
  readonly result: ProjectionResult = { facts: [], sessionEvents: [], confirmedSends: [] };
  #key: string | null = null;

  constructor(stores: Stores, now: number) {
    this.stores = stores;
    this.now = now;
  }

  /** The event that is taken in from here on. */
  startEvent(key: string | null): void {
    this.#key = key;
  }

  /** A fact about the event's own doing; named after its key, or after this moment when every repetition is news. */
  emit(event: GatewayEvent, timestamp: number): void {
    this.emitAs(this.#key ?? `${event.type}|${this.now}|${this.result.facts.length}`, event, timestamp);
  }

  /** `src` names the fact for ever; `timestamp` in Unix seconds. */
  emitAs(src: string, event: GatewayEvent, timestamp: number): void {
    // Facts of one batch are heard of one after the other.
    this.result.facts.push({ src, at: eventTimeMs(timestamp, this.now + this.result.facts.length), event });
  }

  get nowSeconds(): number {
    return Math.floor(this.now / 1000);
  }
}
