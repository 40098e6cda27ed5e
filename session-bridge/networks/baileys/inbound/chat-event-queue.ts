// Emits each chat's events in arrival order, even if some events wait for a file or a poll's secret. Chats do not block each other.
import type { ChatId } from "@gateway/protocol/ids.ts";
import { perSession } from "../session/per-session.ts";
import type { NetworkSession } from "../session/session-context.ts";

class ChatEventQueue {
  readonly #tails = new Map<ChatId, Promise<void>>();

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
    // A failing `emit` must not block the chat. `task` logs the error.
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
