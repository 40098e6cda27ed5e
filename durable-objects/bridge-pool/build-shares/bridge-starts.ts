// When bridges' processes were started: one that ends soon after its start, again and again, says nothing of it itself.
import { type BridgeStart, LOOP_WITHIN_MS, CRASH_LOOP, isCrashLoop } from "@gateway/domain/fleet/crash-loop.ts";
import { signalsOf } from "@gateway/domain/fleet/alarms.ts";
import { troubleOfBuild } from "@gateway/domain/fleet/rollout.ts";
import type { FleetWatch } from "../fleet-watch.ts";
import type { Pool } from "../pool.ts";

type Row = { bridge: string; build: string | null; started_at: number; at: number; ending: number };

export class BridgeStarts {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** A bridge's hello; one that dials again is known. Of an earlier release no start is known. */
  said(
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

  /** The bridge says that its process ends. */
  ending(bridge: string): void {
    this.#sql.exec("UPDATE bridge_start SET ending = 1 WHERE bridge = ?", bridge);
  }

  all(): BridgeStart[] {
    return this.#sql
      .exec<Row>("SELECT * FROM bridge_start ORDER BY bridge, at, started_at")
      .toArray()
      .map(({ started_at: startedAt, ending, ...row }) => ({ ...row, startedAt, ending: ending === 1 }));
  }
}

/** Its kind and code; null: none, or nothing to compare it with. */
export function troubleOfShare({ rings, bridges }: Pool, fleet: FleetWatch, starts: BridgeStarts, now: number): string | null {
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
