// The daily round over the directory: which connections are looked at in a run of the watchdog, so that each has its turn once a day, and no
// run more than it can do.
import { DAY_MS } from "@gateway/protocol/units.ts";

/** How far the round of a day (Unix ms of its start) has come: up to this numeric id, it included. */
export type Round = { day: number; through: number };

/** The ids after `from` up to `to`. */
export type Slice = { day: number; from: number; to: number };

/** At most so many ids are looked through in one run: those of the missed runs are made up for. */
export const MAX_SLICE = 5_000;

/** What is due at `now` (Unix ms), when the highest id is `highest`; null: nothing is. */
export function sliceDue(round: Round | null, highest: number, now: number): Slice | null {
  const day = Math.floor(now / DAY_MS) * DAY_MS;
  const from = round === null || round.day !== day ? 0 : round.through;
  const due = Math.ceil((highest * (now - day)) / DAY_MS);
  const to = Math.min(due, from + MAX_SLICE);
  return to > from ? { day, from, to } : null;
}
