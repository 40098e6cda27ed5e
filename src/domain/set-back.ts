// Handles times stored before the clock was set back: if it was a day ahead, they are a day too late.
import { MINUTE_MS } from "@gateway/protocol/units.ts";

/** Smaller steps are ignored, because they delay work only by their own length. */
export const SET_BACK_MS = MINUTE_MS;

/** A time further ahead than `longestMs` (0 for a past event) predates a clock step, so it counts as now. Unix ms. */
export function notAhead(at: number, longestMs: number, now: number): number {
  return isAhead(at, longestMs, now) ? now : at;
}

export const isAhead = (at: number, longestMs: number, now: number): boolean => at - now > longestMs + SET_BACK_MS;
