// Spreads the periodic work of connections over time.

export type Grid = (at: number) => number;

/** Returns one time per period, at an offset that depends on a hash of the UUID. */
export function gridOf(uuid: string, periodMs: number): Grid {
  const offset = offsetOf(uuid, periodMs);
  return (at) => Math.ceil((at - offset) / periodMs) * periodMs + offset;
}

function offsetOf(uuid: string, periodMs: number): number {
  return Number.parseInt(uuid.slice(0, 8), 16) % periodMs || 0;
}

export type StoredTime = { get(): number | null; set(at: number): void };
