// Detects a build whose processes crash soon after they start (docs/operate/bridges.md, "Rolling out a build").
import { MINUTE_MS } from "@gateway/protocol/units.ts";

/** `startedAt` (Unix ms) is on the bridge's clock. `at` is when the pool was told. `ending` means that the bridge announced its stop. */
export type BridgeStart = { bridge: string; build: string | null; startedAt: number; at: number; ending: boolean };

/** Reported in the same form as the kind and code of a network problem. */
export const CRASH_LOOP = "process crash_loop";

const CRASHES = 3;
export const LOOP_WITHIN_MS = 10 * MINUTE_MS;
/** Maximum time from one start to the next, including the restart delay. */
const SOON_MS = 5 * MINUTE_MS;

/** `starts` are sorted by bridge and then by time. Those up to `since` are ignored. */
export function isCrashLoop(starts: readonly BridgeStart[], build: string, since: number, now: number): boolean {
  const from = Math.max(since, now - LOOP_WITHIN_MS);
  const crashed = starts.filter((start, index) => isCrash(start, starts[index + 1], from));
  const own = crashed.filter((start) => start.build === build);
  return own.length >= CRASHES && crashed.length - own.length < CRASHES;
}

function isCrash(start: BridgeStart, next: BridgeStart | undefined, from: number): boolean {
  if (next?.bridge !== start.bridge || start.ending || next.at <= from) return false;
  const between = next.startedAt - start.startedAt;
  return between > 0 && between <= SOON_MS;
}
