// Idempotency-Key: the rules that need no storage (docs/admission.md, "Idempotency").
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { Failure, FailureCode } from "../../protocol/failures.ts";

/**
 * 1 to 255 visible ASCII characters; surrounding white space belongs to HTTP, not to the value (the runtime keeps it: docs/admission.md,
 * "Request bodies").
 */
export function idempotencyValue(header: string): string | null {
  const value = header.replace(/^[ \t]+|[ \t]+$/g, "");
  return /^[\x21-\x7E]{1,255}$/.test(value) ? value : null;
}

/** The id of the stored answer: a value is scoped to one subject. */
export function replayId(subject: string, value: string): string {
  return bytesToHex(sha256(utf8ToBytes(`${subject}\0${value}`))).slice(0, 32);
}

/**
 * The network's message id of an idempotent send: the same for every attempt of one claim, so that an attempt after a crash finds what
 * the first one left. `claimedAt` (ms) separates two uses of one value more than 24 hours apart.
 */
export function messageIdOfClaim(replay: string, claimedAt: number): string {
  const digest = hmac(sha256, utf8ToBytes(replay), utf8ToBytes(String(claimedAt)));
  return `3EB0${bytesToHex(digest).slice(0, 36).toUpperCase()}`;
}

/**
 * Failures that are stored and replayed: refusals by the network after the attempt, and uncertain outcomes, since a blind retry must
 * never send twice. Failures from before the attempt are not stored, so that a retry can succeed.
 */
const REPLAYABLE: ReadonlySet<FailureCode> = new Set<FailureCode>([
  "send_outcome_unknown",
  "forbidden",
  "not_group_admin",
  "number_not_on_network",
  "media_unreachable",
  "media_invalid",
  "limit_of_kind",
  "outside_service_window",
  "template_invalid",
  "edit_window_closed",
  "delete_window_closed",
  "invite_invalid",
]);

export function isReplayable(failure: Failure | null): boolean {
  return failure === null || REPLAYABLE.has(failure.code);
}
