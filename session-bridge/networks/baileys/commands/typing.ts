import { errorFacts } from "#root/log.ts";
import { type ChatState, sendChatState } from "../queries/chat-state.ts";
import { perSession } from "../session/per-session.ts";
import type { SessionContext } from "../session/session-context.ts";

class Typing {
  readonly #ends = new Map<string, NodeJS.Timeout>();

  /** Sends the state now and "paused" after `durationMs`; with 0 the caller ends it. */
  async show(ctx: SessionContext, jid: string, state: ChatState, durationMs: number): Promise<void> {
    clearTimeout(this.#ends.get(jid));
    this.#ends.delete(jid);
    await sendChatState(ctx, jid, state);
    if (state === "paused" || durationMs === 0) return;
    const end = setTimeout(() => {
      this.#ends.delete(jid);
      sendChatState(ctx, jid, "paused").catch((error: unknown) => ctx.logger.debug(errorFacts(error), "typing.not_ended"));
    }, durationMs);
    this.#ends.set(jid, end.unref());
  }
}

export const typingOf = perSession(() => new Typing());
