// Whether the number shows itself online. The network forgets it with each socket, and the library says at each opening what it was
// configured with.
import { fail, type Outcome } from "../../../../src/protocol/failures.ts";
import type { OwnPresence } from "../../../../src/protocol/records.ts";
import { errorFacts } from "../../../log.ts";
import { perSession } from "../session/per-session.ts";
import type { SessionContext } from "../session/session-context.ts";

const wishOf = perSession((): { presence: OwnPresence | null } => ({ presence: null }));

const SHOWN_AS = { online: "available", offline: "unavailable" } as const satisfies Record<OwnPresence, string>;

export async function showPresence(ctx: SessionContext, presence: OwnPresence): Promise<Outcome<Record<string, never>>> {
  // Without a name the library leaves it out, and says nothing of it (docs/durability.md, "Defects of the libraries").
  if (!ctx.auth.creds.me?.name) return fail("profile_name_unknown");
  wishOf(ctx.link).presence = presence;
  await ctx.sock.sendPresenceUpdate(SHOWN_AS[presence]);
  return { ok: true, value: {} };
}

/** On a new socket, once the library has said its own. */
export function showPresenceAgain(ctx: SessionContext): void {
  const { presence } = wishOf(ctx.link);
  if (presence === null) return;
  setImmediate(() => {
    ctx.sock.sendPresenceUpdate(SHOWN_AS[presence]).catch((error: unknown) => ctx.logger.warn(errorFacts(error), "presence.not_shown"));
  });
}
