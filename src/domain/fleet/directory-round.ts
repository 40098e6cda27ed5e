// The daily pass over the directory: which connections each watchdog run visits, so that each is visited once a day and no run exceeds its
// budget.
import { DAY_MS } from "@gateway/protocol/units.ts";

export type Round = { day: number; through: number };

export type Slice = { day: number; from: number; to: number };

/** The most ids per run; later runs catch up on missed ones. */
export const MAX_SLICE = 5_000;

export function sliceDue(round: Round | null, highest: number, now: number): Slice | null {
  const day = Math.floor(now / DAY_MS) * DAY_MS;
  const from = round === null || round.day !== day ? 0 : round.through;
  const due = Math.ceil((highest * (now - day)) / DAY_MS);
  const to = Math.min(due, from + MAX_SLICE);
  return to > from ? { day, from, to } : null;
}
