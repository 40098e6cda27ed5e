// The quota of the mail service. Identity mails are always tried; mails with notices to owners pause when it is used up.
import { HOUR_MS } from "@gateway/protocol/units.ts";
import type { GuardVerdict } from "./address-guard.ts";

/** How the service reports it (https://developers.cloudflare.com/email-service/platform/limits/). */
export function isQuotaError(refusal: string): boolean {
  return /\bE_(?:DAILY|RATE)_LIMIT_EXCEEDED\b/.test(refusal);
}

const PAUSE_MS = HOUR_MS;

/** `usedUpAt`: the last time that the service reported it (Unix ms). */
export function quotaPause(usedUpAt: number | null, now: number): GuardVerdict {
  const since = usedUpAt === null ? PAUSE_MS : now - usedUpAt;
  return since >= 0 && since < PAUSE_MS ? { blocked: true, retryAfterMs: PAUSE_MS - since } : { blocked: false };
}
