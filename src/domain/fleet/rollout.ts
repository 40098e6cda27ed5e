// Selects the sessions that run on a new build. A selected session stays selected when the percentage grows.
import { nameOf, type Signal } from "./alarms.ts";

/** Sessions outside the share run on any other build. `percent` 0 without `connections` means that the build was rejected. */
export type Rollout = { build: string; percent: number; connections: readonly string[] };

/** Returns the kind and code of a problem that reaches the alarm limit on this build but not on others, or null if there is none. */
export function troubleOfBuild(ofBuild: readonly Signal[], ofOthers: readonly Signal[]): string | null {
  const isElsewhere = (signal: Signal): boolean => ofOthers.some((other) => nameOf(other) === nameOf(signal) && other.level >= 1);
  const trouble = ofBuild.find((signal) => signal.level >= 1 && !isElsewhere(signal));
  return trouble === undefined ? null : nameOf(trouble);
}

const STEPS = 10_000;

export function belongsToBuild({ percent, connections }: Rollout, connection: string): boolean {
  return connections.includes(connection) || (positionOf(connection) * 100) / STEPS < percent;
}

export const isTakenBack = ({ percent, connections }: Rollout): boolean => percent === 0 && connections.length === 0;

/** FNV-1a (32 bits). It never changes between releases, so that sessions in a rollout stay in it as its share grows. */
function positionOf(connection: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < connection.length; at++) hash = Math.imul(hash ^ connection.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % STEPS;
}
