// Times of their own for the connections: what each of them does once an hour or once a day must not fall on one second for all.

/** The first time on the grid that is not before `at` (Unix ms). */
export type Grid = (at: number) => number;

/** A grid of one time per period, which is the connection's own: moved by a hash of its UUID. */
export function gridOf(uuid: string, periodMs: number): Grid {
  // The first 32 bits of a random UUID. A name that is none has no grid of its own.
  const offset = Number.parseInt(uuid.slice(0, 8), 16) % periodMs || 0;
  return (at) => Math.ceil((at - offset) / periodMs) * periodMs + offset;
}
