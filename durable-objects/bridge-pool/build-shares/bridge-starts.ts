// Start times of the bridges' processes. They reveal crash loops, which a crashing process cannot report.
import { type BridgeStart, LOOP_WITHIN_MS, CRASH_LOOP, isCrashLoop } from "@gateway/domain/fleet/crash-loop.ts";
import { signalsOf } from "@gateway/domain/fleet/alarms.ts";
import { troubleOfBuild } from "@gateway/domain/fleet/rollout.ts";
import type { FleetWatch } from "../fleet-watch.ts";
import type { Pool } from "../pool.ts";

type BridgeStartRow = { bridge: string; build: string | null; started_at: number; at: number; ending: number };

export class BridgeStarts {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Records the process start that a bridge reports in its hello. If a known process reconnects, nothing changes. */
  record(
    bridge: string,
    { build, started_at: startedAt }: { build?: string | undefined; started_at?: number | undefined },
    now: number,
  ): void {
    if (startedAt === undefined) return;
    this.#sql.exec("DELETE FROM bridge_start WHERE at < ?", now - 2 * LOOP_WITHIN_MS);
    this.#sql.exec(
      "INSERT OR IGNORE INTO bridge_start (bridge, started_at, build, at, ending) VALUES (?, ?, ?, ?, 0)",
      bridge,
      startedAt,
      build ?? null,
      now,
    );
  }

  ending(bridge: string): void {
    this.#sql.exec("UPDATE bridge_start SET ending = 1 WHERE bridge = ?", bridge);
  }

  all(): BridgeStart[] {
    return this.#sql
      .exec<BridgeStartRow>("SELECT * FROM bridge_start ORDER BY bridge, at, started_at")
      .toArray()
      .map(({ started_at: startedAt, ending, ...row }) => ({ ...row, startedAt, ending: ending === 1 }));
  }
}

/** Kind and code of a problem that only the new build has. Null if there is none, or no other build to compare with. */
export function troubleOfShare({ buildShare, bridges }: Pool, fleet: FleetWatch, starts: BridgeStarts, now: number): string | null {
  const { rollout } = buildShare;
  if (rollout === null || buildShare.takenBack) return null;
  const all = bridges.all();
  // Without other bridges, the new build keeps its share, because no other bridge could take the sessions.
  if (all.every((bridge) => bridge.detachedAt !== null || buildShare.isNew(bridge))) return null;
  const signals = (isNew: boolean) =>
    signalsOf(fleet.reportsOf(all.filter((bridge) => buildShare.isNew(bridge) === isNew).map(({ id }) => id)));
  // Crash loops are detected by start times, because a looping bridge does not run long enough to report a problem.
  const isLooping = (): boolean => isCrashLoop(starts.all(), rollout.build, rollout.changedAt, now);
  return troubleOfBuild(signals(true), signals(false)) ?? (isLooping() ? CRASH_LOOP : null);
}
