// At most 60 identical reads per minute. The counters are in memory and are stored seconds after a change, so that hibernation loses none.
import { LIMITS } from "@gateway/domain/limits.ts";
import { SlidingWindow, type Verdict } from "@gateway/domain/admission/sliding-window.ts";

const WRITE_DELAY_MS = 4_000;

export class RepeatedReads {
  readonly #sql: SqlStorage;
  readonly #limit: number;
  #windows: Map<string, SlidingWindow> | null = null;
  readonly #changed = new Set<string>();
  #writeAt: number | null = null;

  constructor(sql: SqlStorage, limit: number) {
    this.#sql = sql;
    this.#limit = limit;
  }

  /** Counts one read at `now` (Unix ms). `name` is kept for a minute, so it must be short. */
  accept(name: string, now: number): Verdict {
    // Returns early if there is no limit, because storing thousands of distinct reads a minute would only waste writes.
    if (this.#limit === Number.POSITIVE_INFINITY) return { accepted: true };
    const windows = this.#load(now);
    let window = windows.get(name);
    if (window === undefined) {
      window = new SlidingWindow(this.#limit, LIMITS.repeatedRead.windowMs);
      windows.set(name, window);
    }
    this.#changed.add(name);
    this.#writeAt ??= now + WRITE_DELAY_MS;
    return window.accept(now);
  }

  nextDue(): number | null {
    return this.#writeAt;
  }

  run(now: number): void {
    if (this.#writeAt === null || now < this.#writeAt) return;
    const windows = this.#load(now);
    for (const name of this.#changed) {
      const window = windows.get(name);
      if (window === undefined) continue;
      this.#sql.exec(
        "INSERT OR REPLACE INTO repeated_read (read, times, newest) VALUES (?, ?, ?)",
        name,
        JSON.stringify(window.times()),
        window.latest,
      );
    }
    this.#changed.clear();
    this.#writeAt = null;
    this.#sql.exec("DELETE FROM repeated_read WHERE newest <= ?", now - LIMITS.repeatedRead.windowMs);
    for (const [name, window] of windows) if (now - window.latest > LIMITS.repeatedRead.windowMs) windows.delete(name);
  }

  #load(now: number): Map<string, SlidingWindow> {
    if (this.#windows !== null) return this.#windows;
    const rows = this.#sql
      .exec<{ read: string; times: string }>("SELECT read, times FROM repeated_read WHERE newest > ?", now - LIMITS.repeatedRead.windowMs)
      .toArray();
    this.#windows = new Map(
      rows.map((row) => [row.read, new SlidingWindow(this.#limit, LIMITS.repeatedRead.windowMs, JSON.parse(row.times) as number[])]),
    );
    return this.#windows;
  }
}
