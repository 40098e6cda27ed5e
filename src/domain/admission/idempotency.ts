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

/** The row's name: a value belongs to one key. */
export function replayId(subject: string, value: string): string {
  return bytesToHex(sha256(utf8ToBytes(`${subject}\0${value}`))).slice(0, 32);
}

/**
 * The network's message id of an idempotent send: the same for every try of one claim, so that a try after a crash finds what
 * the first one left. `claimedAt` (ms) tells apart two uses of one value more than 24 hours from each other.
 */
export function messageIdOfClaim(replay: string, claimedAt: number): string {
  const digest = hmac(sha256, utf8ToBytes(replay), utf8ToBytes(String(claimedAt)));
  return `3EB0${bytesToHex(digest).slice(0, 36).toUpperCase()}`;
}

/**
 * Answers given before anything was tried are not kept, so that a later retry can act. Kept are refusals by the network after
 * the attempt, and uncertain outcomes: a blind retry must never send twice.
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
