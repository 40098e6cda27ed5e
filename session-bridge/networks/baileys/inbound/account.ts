// What the network says of the account itself. Restrictions belong to the session's life and are told by it.
import type { BaileysEventMap } from "baileys";
import type { SessionContext } from "../session-context.ts";
import { memoryOf } from "../session-memory.ts";

export function credsUpdate(ctx: SessionContext, { me }: BaileysEventMap["creds.update"]): void {
  const name = me?.name;
  const memory = memoryOf(ctx.link);
  // "~" stands for a name not known yet (pairing by code).
  if (!name || name === "~" || name === memory.profileName) return;
  memory.profileName = name;
  ctx.emit([{ key: null, event: { type: "profile.updated", name } }]);
}
