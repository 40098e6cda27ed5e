// Whether the processes of a build end again and again soon after their start (docs/operate/bridges.md, "Rolling out a build").
import { MINUTE_MS } from "@gateway/protocol/units.ts";

/** `startedAt` by the bridge's own clock, `at`: when the pool heard of it; Unix ms. `ending`: it said that it would end. */
export type BridgeStart = { bridge: string; build: string | null; startedAt: number; at: number; ending: boolean };

/** In place of a kind and code. */
export const CRASH_LOOP = "process crash_loop";

/** So many of them in this time, over all bridges of the build. */
const CRASHES = 3;
export const LOOP_WITHIN_MS = 10 * MINUTE_MS;
/** From a start to the next one, the pause of whatever starts it again included. */
const SOON_MS = 5 * MINUTE_MS;

/** Their processes end in a loop, and those of the others do not. `starts` by bridge, then by time; only what came after `since` counts. */
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
