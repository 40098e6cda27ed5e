// Wakes each connection that has a placement once a day, so that one whose alarm was lost goes on (docs/architecture.md, "Alarms").
import { errorFields, log } from "../../src/log.ts";
import { DAY_MS, MINUTE_MS } from "../../src/protocol/units.ts";
import type { Placements } from "./placements.ts";

const MINUTES_OF_A_DAY = DAY_MS / MINUTE_MS;

type Row = { after: string };

type SweepDependencies = { sql: SqlStorage; placements: Placements; poke(connection: string): Promise<unknown> };

export class Sweep {
  readonly #deps: SweepDependencies;
  #isRunning = false;

  constructor(deps: SweepDependencies) {
    this.#deps = deps;
  }

  /** Called once a minute: the next ones, as many as bring all of them round in a day. */
  async run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    for (const connection of this.#next()) {
      try {
        await this.#deps.poke(connection);
      } catch (error) {
        log("pool.notify_failed", { connection, ...errorFields(error) });
      }
    }
    this.#isRunning = false;
  }

  /** The cursor moves first: one that cannot be woken comes again tomorrow, and keeps nobody waiting. */
  #next(): string[] {
    const { sql, placements } = this.#deps;
    const { placed, queued } = placements.counts();
    const limit = Math.ceil((placed + queued) / MINUTES_OF_A_DAY);
    if (limit === 0) return [];
    const after = sql.exec<Row>("SELECT after FROM sweep").toArray()[0]?.after ?? "";
    const page = placements.page(after, limit);
    sql.exec("INSERT OR REPLACE INTO sweep (one, after) VALUES (1, ?)", page.length < limit ? "" : (page.at(-1) ?? ""));
    return page;
  }
}
