// Handles stored times after the clock was set back: if it was a day ahead, times stored then are a day too late.
import { MINUTE_MS } from "@gateway/protocol/units.ts";

/** Smaller steps are ignored: they delay work by no more than themselves. */
export const SET_BACK_MS = MINUTE_MS;

/**
 * A time further ahead than `longestMs` was stored before the clock was set back, and counts as now. `longestMs`: the longest delay that
 * the time can stand for, 0 for a past event. Unix ms.
 */
export function notAhead(at: number, longestMs: number, now: number): number {
  return isAhead(at, longestMs, now) ? now : at;
}

export const isAhead = (at: number, longestMs: number, now: number): boolean => at - now > longestMs + SET_BACK_MS;
