// Whether the build that has a share of the sessions does worse than the others (docs/operate/bridges.md, "Rolling out a build").
import { signalsOf } from "@gateway/domain/fleet/alarms.ts";
import { CRASH_LOOP, isCrashLoop } from "@gateway/domain/fleet/crash-loop.ts";
import { troubleOfBuild } from "@gateway/domain/fleet/rollout.ts";
import type { FleetWatch } from "../fleet-watch.ts";
import type { Pool } from "../pool.ts";
import type { Starts } from "./starts.ts";

/** Its kind and code; null: none, or nothing to compare it with. */
export function troubleOfShare({ rings, bridges }: Pool, fleet: FleetWatch, starts: Starts, now: number): string | null {
  const { rollout } = rings;
  if (rollout === null || rings.takenBack) return null;
  const all = bridges.all();
  // Without other bridges its sessions would have nowhere to go.
  if (all.every((bridge) => bridge.detachedAt !== null || rings.isNew(bridge))) return null;
  const signals = (isNew: boolean) => signalsOf(fleet.reportsOf(all.filter((bridge) => rings.isNew(bridge) === isNew).map(({ id }) => id)));
  // Bridges that crash in a loop do not live for long enough to report a trouble.
  const isLooping = (): boolean => isCrashLoop(starts.all(), rollout.build, rollout.changedAt, now);
  return troubleOfBuild(signals(true), signals(false)) ?? (isLooping() ? CRASH_LOOP : null);
}
