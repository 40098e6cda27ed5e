// Idempotency-Key rules that need no storage (docs/internals/admission.md, "Idempotency").
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { Failure } from "@gateway/protocol/failures.ts";
import { FAILURE_RESPONSES } from "../failures/responses.ts";

/** The value if it is valid, otherwise null. Ignores surrounding white space, which the runtime does not remove. */
export function idempotencyValue(header: string): string | null {
  const value = header.replace(/^[ \t]+|[ \t]+$/g, "");
  return /^[\x21-\x7E]{1,255}$/.test(value) ? value : null;
}

export function replayId(subject: string, value: string): string {
  return bytesToHex(sha256(utf8ToBytes(`${subject}\0${value}`))).slice(0, 32);
}

/** Every attempt under one claim gets the same id. `claimedAt` (Unix ms) distinguishes uses more than 24 hours apart. */
export function messageIdOfClaim(replay: string, claimedAt: number): string {
  const digest = hmac(sha256, utf8ToBytes(replay), utf8ToBytes(String(claimedAt)));
  return `3EB0${bytesToHex(digest).slice(0, 36).toUpperCase()}`;
}

/** With these statuses, the same call would be refused again. With any other status, a retry may succeed. */
const FINAL_STATUSES: ReadonlySet<number> = new Set([403, 422]);

/** Successes, uncertain outcomes and network refusals are stored and replayed. Any other failure means that nothing was attempted. */
export function isReplayable(failure: Failure | null): boolean {
  if (failure === null || failure.code === "send_outcome_unknown") return true;
  return failure.attempted === true && FINAL_STATUSES.has(FAILURE_RESPONSES[failure.code].status);
}

export function storedResult(json: string, shownOnce: readonly string[]): string {
  if (shownOnce.length === 0) return json;
  const hidden = new Set(shownOnce);
  return JSON.stringify(JSON.parse(json), (field, value: unknown) => (hidden.has(field) ? null : value));
}
