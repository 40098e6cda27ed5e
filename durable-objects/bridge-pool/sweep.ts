// Wakes each connection with a placement once a day, in case its alarm was lost (docs/internals/scheduling.md, "Alarms").
import { errorFields, log } from "#root/src/log.ts";
import { DAY_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import type { StoredTime } from "@gateway/domain/spread.ts";
import type { Placements } from "./placements.ts";

/** Minutes missed longer ago than this are skipped, and their connections are woken a day later. */
const MADE_UP_MS = 60 * MINUTE_MS;
/** Number of values of a UUID's first 32 bits, which are random and determine the connection's minute of the day. */
const TURNS = 2 ** 32;

type SweepDependencies = {
  placements: Pick<Placements, "between">;
  through: StoredTime;
  poke(connection: string): Promise<unknown>;
};

export class Sweep {
  readonly #deps: SweepDependencies;
  #isRunning = false;

  constructor(deps: SweepDependencies) {
    this.#deps = deps;
  }

  /** Called once a minute. Wakes the connections of all minutes since the last call. */
  async run(now: number): Promise<void> {
    const until = Math.ceil((now + 1) / MINUTE_MS) * MINUTE_MS;
    const { through } = this.#deps;
    const from = Math.max(through.get() ?? until - MINUTE_MS, until - MADE_UP_MS);
    if (this.#isRunning || from >= until) return;
    this.#isRunning = true;
    try {
      for (let minute = from; minute < until; minute += MINUTE_MS) {
        for (const connection of this.#minuteOf(minute)) await this.#wake(connection);
        through.set(minute + MINUTE_MS);
      }
    } finally {
      this.#isRunning = false;
    }
  }

  async #wake(connection: string): Promise<void> {
    try {
      await this.#deps.poke(connection);
    } catch (error) {
      log("pool.notify_failed", { connection, ...errorFields(error) });
    }
  }

  #minuteOf(minute: number): string[] {
    const end = (minute + MINUTE_MS) % DAY_MS;
    // The upper bound for the last minute of the day sorts after every UUID.
    return this.#deps.placements.between(prefixAt(minute % DAY_MS), end === 0 ? "g" : prefixAt(end));
  }
}

function prefixAt(time: number): string {
  return Math.floor((time / DAY_MS) * TURNS)
    .toString(16)
    .padStart(8, "0");
}
