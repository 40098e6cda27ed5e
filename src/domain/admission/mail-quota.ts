// The email service's quota. Identity emails are always attempted, but notices to owners pause once the quota is used up.
import { HOUR_MS } from "@gateway/protocol/units.ts";
import type { GuardVerdict } from "./address-guard.ts";

/** Recognizes the service's quota error (https://developers.cloudflare.com/email-service/platform/limits/). */
export function isQuotaError(refusal: string): boolean {
  return /\bE_(?:DAILY|RATE)_LIMIT_EXCEEDED\b/.test(refusal);
}

const PAUSE_MS = HOUR_MS;

/** `usedUpAt` says when the service last reported the error (Unix ms). */
export function quotaPause(usedUpAt: number | null, now: number): GuardVerdict {
  const since = usedUpAt === null ? PAUSE_MS : now - usedUpAt;
  return since >= 0 && since < PAUSE_MS ? { blocked: true, retryAfterMs: PAUSE_MS - since } : { blocked: false };
}
