import { type BaileysEventMap, type BinaryNode, getBinaryNodeChild } from "baileys";
import { errorFacts } from "#root/log.ts";
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

/** Refreshes the library's cached privacy settings, by which it decides on read receipts. It does not notice changes by another device. */
export function accountSync({ sock, logger }: SessionContext, notification: BinaryNode): void {
  if (getBinaryNodeChild(notification, "privacy") === undefined) return;
  sock.fetchPrivacySettings(true).catch((error: unknown) => logger.info(errorFacts(error), "privacy.unread"));
}
