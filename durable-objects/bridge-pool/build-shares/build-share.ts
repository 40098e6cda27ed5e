// Selects the bridges that may host a session while a new build gets a share of them (docs/operate/bridges.md, "Rolling out a build").
import { belongsToBuild, isTakenBack, type Rollout } from "@gateway/domain/fleet/rollout.ts";
import { notAhead } from "@gateway/domain/clock-set-back.ts";
import type { StoredRollout } from "#root/src/services/bridges/pool-stub.ts";
import type { Bridge } from "../bridges.ts";
import type { BuildGroup } from "../capacity.ts";

type BuildShareRow = { build: string; percent: number; connections: string; changed_at: number; rejected: string | null };

export class BuildShare {
  readonly #sql: SqlStorage;
  readonly #changed: () => void;
  #rollout: StoredRollout | null;

  constructor(sql: SqlStorage, changed: () => void) {
    this.#sql = sql;
    this.#changed = changed;
    const row = sql.exec<BuildShareRow>("SELECT build, percent, connections, changed_at, rejected FROM rollout").toArray()[0];
    this.#rollout =
      row === undefined
        ? null
        : { ...row, connections: JSON.parse(row.connections) as string[], changedAt: row.changed_at, rejectedFor: row.rejected };
  }

  clockSetBack(now: number): void {
    if (this.#rollout !== null) this.#rollout = { ...this.#rollout, changedAt: notAhead(this.#rollout.changedAt, 0, now) };
  }

  get rollout(): StoredRollout | null {
    return this.#rollout;
  }

  set(rollout: Rollout | null, now: number, rejectedFor: string | null = null): void {
    this.#sql.exec("DELETE FROM rollout");
    this.#rollout = rollout === null ? null : { ...rollout, changedAt: now, rejectedFor };
    if (rollout !== null) {
      this.#sql.exec(
        "INSERT INTO rollout (one, build, percent, connections, changed_at, rejected) VALUES (1, ?, ?, ?, ?, ?)",
        rollout.build,
        rollout.percent,
        JSON.stringify(rollout.connections),
        now,
        rejectedFor,
      );
    }
    this.#changed();
  }

  isNew({ build }: Pick<Bridge, "build">): boolean {
    return this.#rollout !== null && build === this.#rollout.build;
  }

  belongs(connection: string): boolean {
    return this.#rollout !== null && belongsToBuild(this.#rollout, connection);
  }

  get takenBack(): boolean {
    return this.#rollout !== null && isTakenBack(this.#rollout);
  }

  /** Groups to try, best first. Sessions outside the new build's share use that build only if all bridges run it. */
  choices(connection: string, isOnlyBuild: boolean): readonly BuildGroup[] {
    if (this.#rollout === null) return ["other"];
    if (this.belongs(connection)) return ["new", "other"];
    return isOnlyBuild && !this.takenBack ? ["new"] : ["other"];
  }
}
