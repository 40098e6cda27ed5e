// Which sessions a new build of the bridge may have: a share of them, the same ones for as long as the share is not made smaller
// (docs/operate/bridges.md, "Rolling out a build").
import { nameOf, type Signal } from "./alarms.ts";

/**
 * `percent` of the sessions belong to `build`, and `connections`, which are named; all others to bridges of any other build, or of one
 * that says none. `percent` 0 without names: it is taken back.
 */
export type Rollout = { build: string; percent: number; connections: readonly string[] };

/** What more than one of the build's sessions have, enough of them for an alarm, and the others do not: the kind and code. */
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

/** FNV-1a (32 bits): the same in every release, so that a share that grows keeps those that it had. */
function positionOf(connection: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < connection.length; at++) hash = Math.imul(hash ^ connection.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % STEPS;
}
