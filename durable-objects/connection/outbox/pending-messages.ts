// Messages of running sends. Each message is stored only once, together with its acknowledgement. Until then, reads build it from the
// outbox.
import type { SendRequest } from "@gateway/protocol/content.ts";
import type { KeyedEvent, NetworkEvent } from "@gateway/protocol/events.ts";
import { isStorageFailure } from "#root/src/services/exceptions.ts";
import type { OwnSendProjection } from "../messages/own-sends.ts";
import type { OutboxRows, SendDetails } from "./rows.ts";

/** Events about whole chats, which also affect messages that they do not name. */
const OF_CHATS: ReadonlySet<NetworkEvent["type"]> = new Set(["chat.cleared", "chat.deleted"]);

export class PendingMessages {
  readonly #rows: OutboxRows;
  readonly #projection: OwnSendProjection;
  #ids: Set<string> | null = null;

  constructor(rows: OutboxRows, projection: OwnSendProjection) {
    this.#rows = rows;
    this.#projection = projection;
  }

  add(request: SendRequest, { source, reference }: Pick<SendDetails, "source" | "reference">, now: number, isNew: boolean): void {
    if (!isNew && this.#projection.isStored(request.message_id)) this.#projection.accepted(request, source, reference, now);
    else this.#read().add(request.message_id);
  }

  ended(messageId: string): void {
    this.#ids?.delete(messageId);
  }

  resetCache(): void {
    this.#ids = null;
  }

  store(messageId: string): void {
    if (!this.#read().has(messageId) || this.#projection.isStored(messageId)) return;
    const row = this.#rows.findOpen(messageId);
    if (row !== null) this.#projection.accepted(row.request, row.details.source, row.details.reference, row.askedAt);
  }

  /**
   * Stores all pending messages before a read. A full disk does not make the read fail, so that messages stored earlier can still be read.
   */
  storeAll(): void {
    try {
      for (const id of this.#read()) this.store(id);
    } catch (error) {
      if (!isStorageFailure(error)) throw error;
      this.resetCache();
    }
  }

  /** Stores messages that these events mention, except those that an acknowledgement stores anyway. */
  storeMentioned(events: readonly KeyedEvent[]): void {
    if (this.#read().size === 0) return;
    const acknowledged = new Set<string>();
    for (const { event } of events) {
      if (OF_CHATS.has(event.type)) this.storeAll();
      const id = messageIdOf(event);
      if (id === null || acknowledged.has(id)) continue;
      if (event.type === "send.settled" && event.outcome.kind === "acknowledged") acknowledged.add(id);
      else this.store(id);
    }
  }

  #read(): Set<string> {
    this.#ids ??= new Set(this.#rows.hasOpen ? this.#rows.asked() : []);
    return this.#ids;
  }
}

function messageIdOf(event: NetworkEvent): string | null {
  if (event.type === "message.upsert") return event.message.from_me ? event.message.message_id : null;
  return "message_id" in event ? event.message_id : null;
}
