// Stored times after the clock was set back: a clock that was a day ahead has stored times that are now a day too late.
import { MINUTE_MS } from "@gateway/protocol/units.ts";

/** A smaller step delays work by no more than itself. */
export const SET_BACK_MS = MINUTE_MS;

/**
 * A stored time further ahead than the longest pause it can stand for was stored before the clock was set back: it counts as now. `longestMs`
 * 0: it says when something happened. Times in Unix ms.
 */
export function notAhead(at: number, longestMs: number, now: number): number {
  return isAhead(at, longestMs, now) ? now : at;
}

export const isAhead = (at: number, longestMs: number, now: number): boolean => at - now > longestMs + SET_BACK_MS;
