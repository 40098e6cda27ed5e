// Counts of the running hour and of those before it. A count is written in the same transaction as what it counts, in a row that a
// commit writes anyway (docs/internals/statistics.md, "Counting in the object").
import { addTo, connectionChange, type Counts, hourOf, netConnected } from "@gateway/domain/statistics/counts.ts";
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";
import type { Migrations } from "../../shared/migrate.ts";
import type { CommitProgress } from "../fewer-writes/commit-progress.ts";

export const STATISTICS_MIGRATIONS: Migrations = [
  // Hours that have ended: their start (Unix ms), JSON of Counts, whether it is still to be pushed, and when it was last pushed (Unix ms).
  `CREATE TABLE counted_hour (
     hour INTEGER PRIMARY KEY, counts TEXT NOT NULL, unpushed INTEGER NOT NULL DEFAULT 1, pushed_at INTEGER NOT NULL DEFAULT 0
   )`,
  // Hours in which the number's status changed: JSON of how long each lasted (ms) until the last change (Unix ms), and the one since.
  "CREATE TABLE status_hour (hour INTEGER PRIMARY KEY, ms TEXT NOT NULL, changed_at INTEGER NOT NULL, ended TEXT NOT NULL)",
];

/** Longer than a send may be corrected (`RETENTION_MS` of the outbox, in whole days). */
const RETENTION_MS = 9 * DAY_MS;

/**
 * JSON of the running hour, stored with the commit's progress. `connected`: as what the number was last counted; `ends`: how many
 * deferred ends were counted up to now.
 */
type Running = { hour: number; counts: Counts; connected: boolean; ends?: number };

export type CountedHour = { hour: number; counts: Counts };

/** What other components count with. */
export type Tally = Pick<Counters, "add" | "takeBack" | "flush" | "defer" | "recover">;

/** What was counted by the end of something in a row of its own. `number`: of `defer`; `at`: when it ended (Unix ms). */
type DeferredEnd = { number: number; at: number; names: readonly string[] };

export class Counters {
  readonly #sql: SqlStorage;
  readonly #progress: CommitProgress;
  /** Not yet written: within one transaction or one synchronous step. */
  #staged: [name: string, amount: number][] = [];
  #running: Running | undefined;
  /** Counted in memory, and in rows of their own (`defer`). */
  #deferred: string[] = [];
  /** Those of them that the transaction under way has written. */
  #folded: string[] = [];
  /** The oldest hour that has still to be pushed; undefined: to be read. */
  #oldestUnpushed: number | null | undefined;
  #pushedAt: number | undefined;

  constructor(sql: SqlStorage, progress: CommitProgress) {
    this.#sql = sql;
    this.#progress = progress;
  }

  add(name: string, amount = 1): void {
    if (amount !== 0) this.#staged.push([name, amount]);
  }

  /**
   * Counts without a write: whoever calls it stores the number that it answers with what has ended, and hands it back after a crash
   * (`recover`). Null: it has to be counted like anything else, because its hour is not the running one. `at` in Unix ms.
   */
  defer(names: readonly string[], at: number): number | null {
    const running = this.#read();
    if (hourOf(at) !== running.hour) return null;
    for (const name of names) addTo(running.counts, name, 1);
    this.#deferred.push(...names);
    running.ends = (running.ends ?? 0) + 1;
    return running.ends;
  }

  /** Once at start: `read` answers the ends with a higher number than that. Those of an hour that is closed were counted in it. */
  recover(read: (after: number) => readonly DeferredEnd[]): void {
    const running = this.#read();
    for (const { number, at, names } of read(running.ends ?? 0)) {
      running.ends = Math.max(running.ends ?? 0, number);
      if (hourOf(at) !== running.hour) continue;
      for (const name of names) addTo(running.counts, name, 1);
      this.#deferred.push(...names);
    }
  }

  /** Counts a change of whether the number is connected, once. `now` in Unix ms. */
  setConnected(connected: boolean, now: number): void {
    if (this.#stagedConnected() === connected) return;
    const at = Math.max(now, this.#read().hour);
    for (const [name, amount] of Object.entries(connectionChange(connected, at))) this.add(name, amount);
  }

  /** What was counted in the hour of `countedAt` (Unix ms) has turned out otherwise. */
  takeBack(countedAt: number, names: readonly string[]): void {
    const hour = hourOf(countedAt);
    const [row] = this.#sql.exec<{ counts: string }>("SELECT counts FROM counted_hour WHERE hour = ?", hour).toArray();
    if (row === undefined) {
      if (this.#read().hour === hour) for (const name of names) this.add(name, -1);
      return;
    }
    const counts = JSON.parse(row.counts) as Counts;
    for (const name of names) addTo(counts, name, -1);
    this.#sql.exec("UPDATE counted_hour SET counts = ?, unpushed = 1 WHERE hour = ?", JSON.stringify(counts), hour);
    this.#oldestUnpushed = undefined;
  }

  /** How much is staged; what is staged afterwards can be dropped again. */
  get staged(): number {
    return this.#staged.length;
  }

  dropStaged(from: number): void {
    this.#staged.length = from;
  }

  /** The transaction was rolled back. */
  rolledBack(): void {
    this.#staged = [];
    const ends = this.#running?.ends;
    this.#running = undefined;
    this.#oldestUnpushed = undefined;
    this.#deferred = [...this.#folded, ...this.#deferred];
    this.#folded = [];
    if (this.#deferred.length === 0) return;
    const running = this.#read();
    for (const name of this.#deferred) addTo(running.counts, name, 1);
    if (ends !== undefined) running.ends = ends;
  }

  /** The transaction is committed. */
  committed(): void {
    this.#folded = [];
  }

  /** What is to be written with the commit's progress now; null when nothing was counted. `now` in Unix ms. */
  take(now: number): string | null {
    if (this.#staged.length === 0) return null;
    const running = this.#runningAt(now);
    for (const [name, amount] of this.#staged) addTo(running.counts, name, amount);
    running.connected = this.#stagedConnected();
    this.#staged = [];
    this.#fold();
    return JSON.stringify(running);
  }

  /** Writes what was counted, where there is no commit. */
  flush(now: number): void {
    const counts = this.take(now);
    this.#progress.store({ seq: null, counts, cold: null, sessions: null, facts: 0 });
    this.committed();
  }

  /** The oldest hour that D1 does not have yet; null when it has everything. */
  get oldestUnpushed(): number | null {
    this.#oldestUnpushed ??= this.#oldestUnpushed === undefined ? this.#readOldestUnpushed() : null;
    if (this.#oldestUnpushed !== null) return this.#oldestUnpushed;
    const { counts, hour } = this.#read();
    return Object.keys(counts).length === 0 ? null : hour;
  }

  /** When something was last pushed (Unix ms); 0 when nothing ever was. */
  get pushedAt(): number {
    this.#pushedAt ??= this.#sql.exec<{ at: number | null }>("SELECT max(pushed_at) AS at FROM counted_hour").one().at ?? 0;
    return this.#pushedAt;
  }

  /** Also called at each start. Hours that are ahead now, and of which D1 knows nothing, count in the one of `now` (Unix ms). */
  clockSetBack(now: number): void {
    this.#pushedAt = undefined;
    const hour = hourOf(now);
    const running = this.#read();
    if (running.hour - hour <= HOUR_MS) return;
    const ahead = this.#sql
      .exec<{ counts: string }>("DELETE FROM counted_hour WHERE hour > ? AND pushed_at = 0 RETURNING counts", hour)
      .toArray()
      .map((row) => JSON.parse(row.counts) as Counts);
    const counts = this.#reopen(hour);
    for (const each of [...ahead, running.counts]) for (const [name, amount] of Object.entries(each)) addTo(counts, name, amount);
    this.#oldestUnpushed = undefined;
    this.#running = { ...running, hour, counts };
    this.#fold();
    this.#progress.store({ seq: null, counts: JSON.stringify(this.#running), cold: null, sessions: null, facts: 0 });
    this.committed();
  }

  /** What the hours since `from` (Unix ms) have counted until now, the running one among them. */
  hoursSince(from: number): Map<number, Counts> {
    const query = "SELECT hour, counts FROM counted_hour WHERE hour >= ?";
    const ended = this.#sql.exec<{ hour: number; counts: string }>(query, hourOf(from)).toArray();
    const hours = new Map(ended.map(({ hour, counts }) => [hour, JSON.parse(counts) as Counts]));
    const { counts, hour } = this.#read();
    if (!hours.has(hour)) hours.set(hour, counts);
    return hours;
  }

  /** What is to be pushed to D1: hours before `before` (Unix ms), and whether the number was connected at their end. */
  unpushed(before: number): { hours: CountedHour[]; connected: boolean } {
    const ended = this.#sql
      .exec<{ hour: number; counts: string }>("SELECT hour, counts FROM counted_hour WHERE unpushed = 1 ORDER BY hour")
      .toArray()
      .map(({ hour, counts }) => ({ hour, counts: JSON.parse(counts) as Counts }));
    const { connected, counts, hour } = this.#read();
    if (Object.keys(counts).length === 0) return { hours: ended, connected };
    if (hour < before) return { hours: [...ended, { hour, counts: { ...counts } }], connected };
    return { hours: ended, connected: connected !== (netConnected(counts) !== 0) };
  }

  /** D1 has these. One that was changed meanwhile has to be pushed again, and the running hour at its end. */
  pushed(hours: readonly CountedHour[], now: number): void {
    const running = this.#read();
    if (running.hour < hourOf(now)) {
      this.#close(running);
      this.committed();
    }
    for (const { hour, counts } of hours) {
      this.#sql.exec(
        "UPDATE counted_hour SET unpushed = (counts <> ?2), pushed_at = ?3 WHERE hour = ?1",
        hour,
        JSON.stringify(counts),
        now,
      );
    }
    this.#sql.exec("DELETE FROM counted_hour WHERE hour < ? AND unpushed = 0", now - RETENTION_MS);
    this.#oldestUnpushed = undefined;
    this.#pushedAt = now;
  }

  #stagedConnected(): boolean {
    const last = this.#staged.findLast(([name]) => name === "connected" || name === "disconnected");
    return last === undefined ? this.#read().connected : last[0] === "connected";
  }

  /** A clock that steps back counts in the hour that has begun. */
  #runningAt(now: number): Running {
    const running = this.#read();
    if (hourOf(now) <= running.hour) return running;
    this.#close(running);
    this.#running = { ...this.#read(), hour: hourOf(now), counts: this.#reopen(hourOf(now)) };
    return this.#running;
  }

  /** Counts of an hour that was closed before the clock was set back. The block that takes its row writes the running hour. */
  #reopen(hour: number): Counts {
    const [row] = this.#sql.exec<{ counts: string }>("DELETE FROM counted_hour WHERE hour = ? RETURNING counts", hour).toArray();
    if (row === undefined) return {};
    this.#oldestUnpushed = undefined;
    return JSON.parse(row.counts) as Counts;
  }

  #close({ counts, hour, connected, ends }: Running): void {
    this.#fold();
    if (Object.keys(counts).length > 0) {
      this.#sql.exec("INSERT OR IGNORE INTO counted_hour (hour, counts) VALUES (?, ?)", hour, JSON.stringify(counts));
      if (this.#oldestUnpushed === null) this.#oldestUnpushed = hour;
    }
    // Should the clock step back, nothing is counted in an hour that is closed.
    this.#running = { hour: hour + HOUR_MS, counts: {}, connected, ...(ends !== undefined && { ends }) };
  }

  /** What was deferred is being written. */
  #fold(): void {
    this.#folded.push(...this.#deferred);
    this.#deferred = [];
  }

  #read(): Running {
    if (this.#running !== undefined) return this.#running;
    const stored = this.#progress.counts;
    const running = stored === null ? { hour: 0, counts: {}, connected: false } : (JSON.parse(stored) as Running);
    // An hour that was closed stays in its old place until something is counted again.
    const closed = this.#sql.exec("SELECT 1 FROM counted_hour WHERE hour = ?", running.hour).toArray().length > 0;
    this.#running = closed ? { ...running, hour: running.hour + HOUR_MS, counts: {} } : running;
    return this.#running;
  }

  #readOldestUnpushed(): number | null {
    return this.#sql.exec<{ hour: number | null }>("SELECT min(hour) AS hour FROM counted_hour WHERE unpushed = 1").one().hour;
  }
}
