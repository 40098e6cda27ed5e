/** The widest span a Date can say: what a sender claims about time must not be able to break a rendering. */
const MOST_MS = 8.64e15;

/** Unix ms as ISO 8601, UTC. */
export function isoOfMs(ms: number): string {
  return new Date(Math.max(-MOST_MS, Math.min(MOST_MS, ms))).toISOString();
}

/** Unix seconds as ISO 8601, UTC. */
export function isoOfSeconds(seconds: number): string {
  return isoOfMs(seconds * 1_000);
}
