// Network events become what we know, and what is told to the world: deduplicated, resolved, stored. All of it is
// synchronous, so that it commits in one block with the deliveries made of it (docs/delivery.md, "Storing an event").
import type { GatewayFact } from "../../src/domain/gateway-event.ts";
import type { SendRequest } from "../../src/protocol/content.ts";
import type { KeyedEvent, NetworkEvent, SendSettled, SessionEvent } from "../../src/protocol/events.ts";
import type { Failure } from "../../src/protocol/failures.ts";
import { arrivals } from "./ingest/arrivals.ts";
import { chats } from "./ingest/chats.ts";
import { groups } from "./ingest/groups.ts";
import { withKnownPhones } from "./ingest/known-phones.ts";
import { messageChanges } from "./ingest/message-changes.ts";
import * as ownSends from "./ingest/own-sends.ts";
import { people } from "./ingest/people.ts";
import { statuses } from "./ingest/statuses.ts";
import { type Events, type Ingested, Taking, type TakerOf } from "./ingest/taking.ts";
import type { Stores } from "./store/stores.ts";

export type { Ingested } from "./ingest/taking.ts";

type Stored = Exclude<NetworkEvent["type"], SessionEvent["type"] | "send.settled">;

/** Every event of the contract: one without a taker does not build. */
const TAKERS: TakerOf<Stored> = { ...arrivals, ...statuses, ...messageChanges, ...chats, ...groups, ...people };

type Settle = (event: SendSettled) => GatewayFact[];

export class Ingest {
  readonly #stores: Stores;

  constructor(stores: Stores) {
    this.#stores = stores;
  }

  /**
   * Takes a batch in, in its order. Taking the same batch again changes nothing and tells nothing. `settle` is told how a send ended when
   * its turn comes: a receipt behind it must find the message as the network took it. `now` in Unix ms.
   */
  apply(events: readonly KeyedEvent[], now: number, settle: Settle = () => []): Ingested {
    const taking = new Taking(this.#stores, now);
    const phoneOf = (lid: string): string | null => this.#stores.lids.phoneOf(lid);
    for (const { key, event } of events) {
      // A message is its own dedupe key: its row says whether it was told of already.
      if (key !== null && event.type !== "message.upsert" && !this.#stores.seen.claim(key, now)) continue;
      taking.begin(key);
      this.#take(withKnownPhones(event, phoneOf), taking, settle);
    }
    return taking.out;
  }

  #take(event: NetworkEvent, taking: Taking, settle: Settle): void {
    if (event.type === "send.settled") taking.out.facts.push(...settle(event));
    else if (isSessionEvent(event)) this.#takeSession(event, taking);
    else take(event.type, event, taking);
  }

  #takeSession(event: SessionEvent, { out, stores }: Taking): void {
    out.session.push(event);
    if (event.type === "session.history") stores.historySync.note(event);
    if (event.type === "session.paired") stores.historySync.forget();
    if (event.type !== "session.open") return;
    stores.groups.setSelf(event.phone, event.lid);
    if (event.lid !== null) stores.unite(event.lid, event.phone);
  }

  /** The outbox is about to ask for this send: from now on the message can be read, as `pending`. */
  ownMessageAccepted(request: SendRequest, source: ownSends.SendSource, reference: string | null, now: number): void {
    ownSends.accepted(request, source, reference, this.#stores, now);
  }

  /** The network acknowledged it. Facts: `message.sent` once, or what the action did (reaction, edit, deletion). */
  ownMessageSent(
    request: SendRequest,
    acknowledged: ownSends.Acknowledged,
    source: ownSends.SendSource,
    reference: string | null,
    now: number,
  ): GatewayFact[] {
    return ownSends.sent(request, acknowledged, source, reference, this.#stores, now);
  }

  /** It is certain that it did not go. Facts: `message.status` failed, unless a receipt proved the contrary. */
  ownMessageFailed(messageId: string, failure: Failure, now: number): GatewayFact[] {
    return ownSends.failed(messageId, failure, this.#stores, now);
  }

  /** Before a rejection goes to the network: its echo is then no `call` event (docs/connection-api.md, "Changes"). */
  markCallRejected(callId: string): void {
    this.#stores.calls.markRejectedHere(callId);
  }
}

function isSessionEvent(event: NetworkEvent): event is SessionEvent {
  return event.type.startsWith("session.");
}

function take<T extends Stored>(type: T, event: Events[T], taking: Taking): void {
  TAKERS[type](event, taking);
}
