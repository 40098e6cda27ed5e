// Changes to the account's own profile. Restrictions are session events (`socket/lifecycle.ts`).
import type { BaileysEventMap } from "baileys";
import { perSession } from "../session/per-session.ts";
import type { SessionContext } from "../session/session-context.ts";

const profileOf = perSession(() => ({ name: "" }));

export function credsUpdate(ctx: SessionContext, { me }: BaileysEventMap["creds.update"]): void {
  const name = me?.name;
  const known = profileOf(ctx.session);
  // "~" is Baileys' placeholder for an unknown name (pairing by code).
  if (!name || name === "~" || name === known.name) return;
  known.name = name;
  ctx.emit([{ key: null, event: { type: "profile.updated", name } }]);
}
