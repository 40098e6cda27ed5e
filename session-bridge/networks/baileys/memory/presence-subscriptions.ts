// Chats whose presence somebody asked to see. The network forgets with each socket who wanted to see whom.
import type { WASocket } from "baileys";
import type { ChatId, Person } from "../../../../src/protocol/ids.ts";
import { errorFacts } from "../../../log.ts";
import { jidOfChat } from "../addressing/jids.ts";
import { perSession } from "../session/per-session.ts";
import type { SessionContext } from "../session/session-context.ts";

class WatchedChats {
  readonly #chats = new Set<ChatId>();
  readonly #askedOn = new WeakMap<WASocket, Set<ChatId>>();
  /** Those who wait for the first word of a chat. */
  readonly #waiting = new Map<ChatId, Set<() => void>>();

  get size(): number {
    return this.#chats.size;
  }

  /** The watched chat in which a person was seen; it may have been asked for while only their LID was known. */
  find(chatId: ChatId, { lid }: Person): ChatId | null {
    if (this.#chats.has(chatId)) return chatId;
    const byLid = `${lid ?? ""}@lid`;
    return lid !== null && !chatId.endsWith("@g.us") && this.#chats.has(byLid) ? byLid : null;
  }

  /** From now on, on every socket. */
  async add(ctx: SessionContext, chatId: ChatId): Promise<void> {
    this.#chats.add(chatId);
    await this.#ask(ctx, chatId);
  }

  async remove(ctx: SessionContext, chatId: ChatId): Promise<void> {
    if (!this.#chats.delete(chatId)) return;
    this.#asked(ctx).delete(chatId);
    const { sock } = ctx;
    await sock.sendNode({ tag: "presence", attrs: { to: jidOfChat(chatId), id: sock.generateMessageTag(), type: "unsubscribe" } });
  }

  /** On a new socket. */
  async askAgain(ctx: SessionContext): Promise<void> {
    try {
      for (const chatId of this.#chats) await this.#ask(ctx, chatId);
    } catch (error) {
      // The socket is gone; the next one starts over.
      ctx.logger.warn(errorFacts(error), "presence.not_watched");
    }
  }

  heard(chatId: ChatId): void {
    for (const go of this.#waiting.get(chatId) ?? []) go();
  }

  /** Until something is heard of the chat, but for no longer than `ms`. Call it before asking. */
  firstWord(chatId: ChatId, ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(chatId) ?? new Set();
    const go = (): void => {
      clearTimeout(patience);
      waiting.delete(go);
      if (waiting.size === 0) this.#waiting.delete(chatId);
      resolve();
    };
    const patience = setTimeout(go, ms);
    this.#waiting.set(chatId, waiting.add(go));
    return promise;
  }

  async #ask(ctx: SessionContext, chatId: ChatId): Promise<void> {
    const asked = this.#asked(ctx);
    if (asked.has(chatId)) return;
    asked.add(chatId);
    try {
      await ctx.sock.presenceSubscribe(jidOfChat(chatId));
    } catch (error) {
      asked.delete(chatId);
      throw error;
    }
  }

  #asked({ sock }: SessionContext): Set<ChatId> {
    const known = this.#askedOn.get(sock);
    if (known !== undefined) return known;
    const none = new Set<ChatId>();
    this.#askedOn.set(sock, none);
    return none;
  }
}

export const watchedChatsOf = perSession(() => new WatchedChats());
