// When bridges' processes were started: one that ends soon after its start, again and again, says nothing of it itself.
import { type BridgeStart, LOOP_WITHIN_MS } from "@gateway/domain/fleet/crash-loop.ts";

type Row = { bridge: string; build: string | null; started_at: number; at: number; ending: number };

export class Starts {
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
