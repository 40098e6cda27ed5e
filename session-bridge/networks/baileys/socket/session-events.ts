import { isWABusinessPlatform, jidDecode, type AuthenticationCreds, type ConnectionState } from "baileys";
import type { SessionEvent } from "@gateway/protocol/events.ts";

export function pairedEvent(creds: AuthenticationCreds, timestamp: number): SessionEvent {
  return { type: "session.paired", ...deviceOf(creds), timestamp };
}

export function openEvent(creds: AuthenticationCreds, timestamp: number): SessionEvent {
  return { type: "session.open", ...deviceOf(creds), lid: userOf(creds.me?.lid), profile_name: profileNameOf(creds), timestamp };
}

export function restrictionEvent(lock: NonNullable<ConnectionState["reachoutTimeLock"]>, timestamp: number): SessionEvent {
  const restriction = lock.isActive
    ? {
        type: "new_chats_blocked" as const,
        enforcement: lock.enforcementType ?? "unknown",
        ends_at: lock.timeEnforcementEnds === undefined ? null : Math.floor(lock.timeEnforcementEnds.getTime() / 1000),
        detected_at: timestamp,
      }
    : null;
  return { type: "session.restriction", restriction, timestamp };
}

/** The profile name, once it is known. "~" is Baileys' placeholder. */
export function profileNameOf(creds: AuthenticationCreds): string | null {
  const name = creds.me?.name;
  return name === undefined || name === "" || name === "~" ? null : name;
}

function deviceOf(creds: AuthenticationCreds): { phone: string; platform: string | null; is_business: boolean } {
  return { phone: userOf(creds.me?.id) ?? "", platform: creds.platform ?? null, is_business: isWABusinessPlatform(creds.platform ?? "") };
}

function userOf(jid: string | undefined): string | null {
  return jid === undefined ? null : (jidDecode(jid)?.user ?? null);
}
