// "Typing" and "recording" in a chat, and their end.
import { errorFacts } from "../../../log.ts";
import type { CommandInput } from "../../../../src/protocol/commands.ts";
import { perSession } from "../session/per-session.ts";
import type { SessionContext } from "../session/session-context.ts";

type State = CommandInput<"chats.typing">["state"];

const LIBRARY_PRESENCE = { typing: "composing", recording: "recording", paused: "paused" } as const satisfies Record<State, string>;

class Typing {
  /** Timers that end a chat's "typing", by JID. */
  readonly #ends = new Map<string, NodeJS.Timeout>();

  /** Sends it now, and "paused" after `durationMs`; 0: the caller ends it. */
  async show(ctx: SessionContext, jid: string, state: State, durationMs: number): Promise<void> {
    clearTimeout(this.#ends.get(jid));
    this.#ends.delete(jid);
    await ctx.sock.sendPresenceUpdate(LIBRARY_PRESENCE[state], jid);
    if (state === "paused" || durationMs === 0) return;
    const end = setTimeout(() => {
      this.#ends.delete(jid);
      // A closed socket shows nothing any more.
      ctx.sock.sendPresenceUpdate("paused", jid).catch((error: unknown) => ctx.logger.debug(errorFacts(error), "typing.not_ended"));
    }, durationMs);
    this.#ends.set(jid, end.unref());
  }
}

export const typingOf = perSession(() => new Typing());
