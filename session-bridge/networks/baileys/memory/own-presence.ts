import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import type { OwnPresence } from "@gateway/protocol/records.ts";
import { errorFacts } from "#root/log.ts";
import { perSession } from "../session/per-session.ts";
import type { SessionContext } from "../session/session-context.ts";

const chosenPresenceOf = perSession((): { presence: OwnPresence | null } => ({ presence: null }));

const LIBRARY_PRESENCE = { online: "available", offline: "unavailable" } as const satisfies Record<OwnPresence, string>;

export async function setOwnPresence(ctx: SessionContext, presence: OwnPresence): Promise<Outcome<Record<string, never>>> {
  // Without a profile name the library silently sends nothing (docs/internals/baileys.md, "Defects of the libraries").
  if (!ctx.auth.creds.me?.name) return fail("profile_name_unknown");
  chosenPresenceOf(ctx.session).presence = presence;
  await ctx.sock.sendPresenceUpdate(LIBRARY_PRESENCE[presence]);
  return { ok: true, value: {} };
}

/** The network forgets the presence with each socket. Runs after the library has sent its configured one. */
export function restoreOwnPresence(ctx: SessionContext): void {
  const { presence } = chosenPresenceOf(ctx.session);
  if (presence === null) return;
  setImmediate(() => {
    ctx.sock
      .sendPresenceUpdate(LIBRARY_PRESENCE[presence])
      .catch((error: unknown) => ctx.logger.warn(errorFacts(error), "presence.not_shown"));
  });
}
