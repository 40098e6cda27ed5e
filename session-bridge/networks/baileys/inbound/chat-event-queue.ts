// Emits the events of a chat in the order they arrived, though some have to wait (for a file, for a poll's secret). Chats do not wait for
// each other, and without a pending event nothing waits.
import type { ChatId } from "@gateway/protocol/ids.ts";
import { perSession } from "../session/per-session.ts";
import type { NetworkSession } from "../session/session-context.ts";

class ChatEventQueue {
  readonly #tails = new Map<ChatId, Promise<void>>();

  /** Runs `emit` when `ready` has resolved and all earlier events of the chat have been emitted. */
  enqueueAfter<T>(session: NetworkSession, chat: ChatId, ready: Promise<T>, emit: (value: T) => void): void {
    const before = this.#tails.get(chat);
    const tail = (before ? before.then(() => ready) : ready).then(emit);
    this.#append(session, chat, tail);
  }

  enqueue(session: NetworkSession, chat: ChatId, emit: () => void): void {
    const before = this.#tails.get(chat);
    if (before) this.#append(session, chat, before.then(emit));
    else emit();
  }

  #append(session: NetworkSession, chat: ChatId, tail: Promise<void>): void {
    // A failing `emit` must not hold back the rest of its chat; `task` reports it.
    const settled = tail
      .catch(() => undefined)
      .finally(() => {
        if (this.#tails.get(chat) === settled) this.#tails.delete(chat);
      });
    this.#tails.set(chat, settled);
    session.task(() => tail);
  }
}

export const chatEventQueueOf = perSession(() => new ChatEventQueue());
