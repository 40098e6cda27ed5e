// Handles times that were stored before the clock was set back. If the clock was a day ahead, these times are a day too late.
import { MINUTE_MS } from "@gateway/protocol/units.ts";

/** Smaller steps are ignored, because they delay work by no more than the step itself. */
export const SET_BACK_MS = MINUTE_MS;

/** Returns `at`, or `now` if `at` is more than `longestMs` ahead (0 for past events) because the clock was set back. In Unix ms. */
export function notAhead(at: number, longestMs: number, now: number): number {
  return isAhead(at, longestMs, now) ? now : at;
}

export const isAhead = (at: number, longestMs: number, now: number): boolean => at - now > longestMs + SET_BACK_MS;
