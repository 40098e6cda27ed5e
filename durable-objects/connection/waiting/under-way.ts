import type { ChatId } from "@gateway/protocol/ids.ts";
import type { Outbox } from "../outbox/outbox.ts";

/** Dispatched waiting sends without an outcome. Only one per chat runs at a time, which keeps their order. */
export class UnderWay {
  readonly #outbox: Pick<Outbox, "askedAfterWaiting" | "isAsked">;
  /** The chat of each send, by message id. */
  readonly #chats = new Map<string, ChatId>();
  /**
   * Ids of sends that an evicted instance dispatched, or null until they are read. This instance has no promise for them, so it checks
   * their rows.
   */
  #inherited: Set<string> | null = null;

  constructor(outbox: Pick<Outbox, "askedAfterWaiting" | "isAsked">) {
    this.#outbox = outbox;
  }

  /** Reads what an evicted instance dispatched, and drops the sends that have ended since. Call this before `size`, `chats` and `add`. */
  refresh(): void {
    if (this.#inherited === null) {
      const sends = this.#outbox.askedAfterWaiting();
      this.#inherited = new Set(sends.map((send) => send.message_id));
      for (const send of sends) this.#chats.set(send.message_id, send.chat_id);
    }
    for (const id of this.#inherited) {
      if (this.#outbox.isAsked(id)) continue;
      this.#inherited.delete(id);
      this.#chats.delete(id);
    }
  }

  get size(): number {
    return this.#chats.size;
  }

  chats(): Set<ChatId> {
    return new Set(this.#chats.values());
  }

  add(id: string, chatId: ChatId): void {
    this.#chats.set(id, chatId);
  }

  ended(id: string): void {
    this.#chats.delete(id);
  }
}
