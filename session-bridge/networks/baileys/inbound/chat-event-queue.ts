// Events of one chat leave in the order they came, though some must wait (for a file, for a poll's secret). Chats do not wait
// for each other, and nothing waits while nothing is pending.
import type { ChatId } from "../../../../src/protocol/ids.ts";
import { perSession } from "../session/per-session.ts";
import type { SessionLink } from "../session/session-context.ts";

class ReleaseOrder {
  readonly #tails = new Map<ChatId, Promise<void>>();

  /** Runs `release` when `ready` has come true and all earlier ones of the chat have run; at once when there is nothing to wait for. */
  after<T>(link: SessionLink, chat: ChatId, ready: Promise<T>, release: (value: T) => void): void {
    const before = this.#tails.get(chat);
    const tail = (before ? before.then(() => ready) : ready).then(release);
    this.#hold(link, chat, tail);
  }

  inTurn(link: SessionLink, chat: ChatId, release: () => void): void {
    const before = this.#tails.get(chat);
    if (before) this.#hold(link, chat, before.then(release));
    else release();
  }

  #hold(link: SessionLink, chat: ChatId, tail: Promise<void>): void {
    // A release that fails must not keep the rest of its chat back; `task` reports it.
    const settled = tail
      .catch(() => undefined)
      .finally(() => {
        if (this.#tails.get(chat) === settled) this.#tails.delete(chat);
      });
    this.#tails.set(chat, settled);
    link.task(() => tail);
  }
}

export const releasesOf = perSession(() => new ReleaseOrder());
