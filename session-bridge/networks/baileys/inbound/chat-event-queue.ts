// Events of one chat leave in the order they came, though some must wait (for a file, for a poll's secret). Chats do not wait
// for each other, and nothing waits while nothing is pending.
import type { ChatId } from "../../../../src/protocol/ids.ts";
import { perSession } from "../session/per-session.ts";
import type { NetworkSession } from "../session/session-context.ts";

class ChatEventQueue {
  readonly #tails = new Map<ChatId, Promise<void>>();

  /** Runs `release` when `ready` has come true and all earlier ones of the chat have run; at once when there is nothing to wait for. */
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
    // A release that fails must not keep the rest of its chat back; `task` reports it.
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
