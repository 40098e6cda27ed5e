// Classifies exceptions of objects, their storage and D1.
import { isDatabaseAway } from "../db/outages.ts";

export type RuntimeErrorFlag = "overloaded" | "retryable" | "durableObjectReset";

export function hasFlag(error: unknown, mark: RuntimeErrorFlag): boolean {
  return typeof error === "object" && error !== null && (error as Record<string, unknown>)[mark] === true;
}

/** The error returned during a deploy while the object still runs the previous release. */
const MISSING_METHOD = /^The RPC receiver does not implement /;

export function isTransientError(error: unknown): boolean {
  if (error instanceof Error && MISSING_METHOD.test(error.message)) return true;
  return hasFlag(error, "overloaded") || hasFlag(error, "retryable") || hasFlag(error, "durableObjectReset");
}

/** Nothing can be stored at the moment. The platform resets an object whose writes fail, and callers see only an internal error. */
const STORAGE_FAILURE = /SQLITE_(FULL|IOERR|READONLY|NOMEM|BUSY|LOCKED)|database or disk is full|^internal error; reference = /;

export function isStorageFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return STORAGE_FAILURE.test(error.message) || isStorageFailure(error.cause);
}

/** `unavailable` means that a retry may succeed. */
export function failureOfException(error: unknown): "unavailable" | "internal_error" {
  return isTransientError(error) || isStorageFailure(error) || isDatabaseAway(error) ? "unavailable" : "internal_error";
}
