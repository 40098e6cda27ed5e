// Chats with a presence subscription. The network drops subscriptions when a socket closes, so they are renewed.
import type { WASocket } from "baileys";
import type { ChatId, Person } from "@gateway/protocol/ids.ts";
import { errorFacts } from "#bridge/log.ts";
import { jidOfChat } from "../addressing/jids.ts";
import { perSession } from "../session/per-session.ts";
import type { SessionContext } from "../session/session-context.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import type { OwnPresence } from "@gateway/protocol/records.ts";

class PresenceSubscriptions {
  readonly #chats = new Set<ChatId>();
  readonly #sentOn = new WeakMap<WASocket, Set<ChatId>>();
  readonly #waiting = new Map<ChatId, Set<() => void>>();

  get size(): number {
    return this.#chats.size;
  }

  /** Also finds a chat that was subscribed when the person was known only by LID. */
  find(chatId: ChatId, { lid }: Person): ChatId | null {
    if (this.#chats.has(chatId)) return chatId;
    const byLid = `${lid ?? ""}@lid`;
    return lid !== null && !chatId.endsWith("@g.us") && this.#chats.has(byLid) ? byLid : null;
  }

  async subscribe(ctx: SessionContext, chatId: ChatId): Promise<void> {
    this.#chats.add(chatId);
    await this.#send(ctx, chatId);
  }

  async unsubscribe(ctx: SessionContext, chatId: ChatId): Promise<void> {
    if (!this.#chats.delete(chatId)) return;
    this.#sent(ctx).delete(chatId);
    const { sock } = ctx;
    await sock.sendNode({ tag: "presence", attrs: { to: jidOfChat(chatId), id: sock.generateMessageTag(), type: "unsubscribe" } });
  }

  async resubscribe(ctx: SessionContext): Promise<void> {
    try {
      for (const chatId of this.#chats) await this.#send(ctx, chatId);
    } catch (error) {
      ctx.logger.warn(errorFacts(error), "presence.subscribe_failed");
    }
  }

  received(chatId: ChatId): void {
    for (const done of this.#waiting.get(chatId) ?? []) done();
  }

  nextPresence(chatId: ChatId, ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(chatId) ?? new Set();
    const done = (): void => {
      clearTimeout(timeout);
      waiting.delete(done);
      if (waiting.size === 0) this.#waiting.delete(chatId);
      resolve();
    };
    const timeout = setTimeout(done, ms);
    this.#waiting.set(chatId, waiting.add(done));
    return promise;
  }

  async #send(ctx: SessionContext, chatId: ChatId): Promise<void> {
    const sent = this.#sent(ctx);
    if (sent.has(chatId)) return;
    sent.add(chatId);
    try {
      await ctx.sock.presenceSubscribe(jidOfChat(chatId));
    } catch (error) {
      sent.delete(chatId);
      throw error;
    }
  }

  #sent({ sock }: SessionContext): Set<ChatId> {
    const known = this.#sentOn.get(sock);
    if (known !== undefined) return known;
    const none = new Set<ChatId>();
    this.#sentOn.set(sock, none);
    return none;
  }
}

export const presenceSubscriptionsOf = perSession(() => new PresenceSubscriptions());

const chosenPresenceOf = perSession((): { presence: OwnPresence | null } => ({ presence: null }));

const LIBRARY_PRESENCE = { online: "available", offline: "unavailable" } as const satisfies Record<OwnPresence, string>;

export async function setOwnPresence(ctx: SessionContext, presence: OwnPresence): Promise<Outcome<Record<string, never>>> {
  // Without a profile name the library silently sends nothing (docs/internals/baileys.md, "Defects of the libraries").
  if (!ctx.auth.creds.me?.name) return fail("profile_name_unknown");
  chosenPresenceOf(ctx.session).presence = presence;
  await ctx.sock.sendPresenceUpdate(LIBRARY_PRESENCE[presence]);
  return { ok: true, value: {} };
}

/** Sends our presence again, because the network drops it with each socket. Call it after the library has sent its configured presence. */
export function restoreOwnPresence(ctx: SessionContext): void {
  const { presence } = chosenPresenceOf(ctx.session);
  if (presence === null) return;
  setImmediate(() => {
    ctx.sock
      .sendPresenceUpdate(LIBRARY_PRESENCE[presence])
      .catch((error: unknown) => ctx.logger.warn(errorFacts(error), "presence.not_shown"));
  });
}
