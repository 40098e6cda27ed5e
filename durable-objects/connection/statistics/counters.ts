// Hourly counts, written in the same transaction as the counted changes, in a row that a commit writes anyway.
import { addTo, connectionChange, type Counts, hourOf, netConnected } from "@gateway/domain/statistics/counts.ts";
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";
import { isStorageFailure } from "#root/src/services/exceptions.ts";
import type { Migrations } from "../../shared/migrate.ts";
import type { CommitProgress } from "../session/commit-progress.ts";
import { readNumber } from "../../shared/read-number.ts";

export const STATISTICS_MIGRATIONS: Migrations = [
  // Completed hours: their start (Unix ms), JSON of Counts, whether a push is pending, and the time of the last push (Unix ms).
  `CREATE TABLE counted_hour (
     hour INTEGER PRIMARY KEY, counts TEXT NOT NULL, unpushed INTEGER NOT NULL DEFAULT 1, pushed_at INTEGER NOT NULL DEFAULT 0
   )`,
  // Only hours in which the status changed. The JSON has the ms in each status up to the last change, its time, and the status since.
  "CREATE TABLE status_hour (hour INTEGER PRIMARY KEY, ms TEXT NOT NULL, changed_at INTEGER NOT NULL, ended TEXT NOT NULL)",
];

/** Longer than the period in which a send may be corrected (`RETENTION_MS` of the outbox, in whole days). */
const RETENTION_MS = 9 * DAY_MS;

/** JSON in the progress row. `connected` is the state at the last count, and `ends` the number of counts that `defer` has stored. */
type Running = { hour: number; counts: Counts; connected: boolean; ends?: number };

export type CountedHour = { hour: number; counts: Counts };

export type Tally = Pick<Counters, "add" | "takeBack" | "flush" | "defer" | "recover">;

/** A finished delivery or send that `defer` counted and that has its own row. `number` comes from `defer`. `at` is in Unix ms. */
type DeferredEnd = { number: number; at: number; names: readonly string[] };

export class Counters {
  readonly #sql: SqlStorage;
  readonly #progress: CommitProgress;
  #staged: [name: string, amount: number][] = [];
  #running: Running | undefined;
  #deferred: string[] = [];
  #folded: string[] = [];
  #oldestUnpushed: number | null | undefined;
  #pushedAt: number | undefined;

  constructor(sql: SqlStorage, progress: CommitProgress) {
    this.#sql = sql;
    this.#progress = progress;
  }

  add(name: string, amount = 1): void {
    if (amount !== 0) this.#staged.push([name, amount]);
  }

  /** Counts without a write. The caller stores the returned number. Null outside the current hour: the caller then counts directly. */
  defer(names: readonly string[], at: number): number | null {
    const running = this.#read();
    if (hourOf(at) !== running.hour) return null;
    for (const name of names) addTo(running.counts, name, 1);
    this.#deferred.push(...names);
    running.ends = (running.ends ?? 0) + 1;
    return running.ends;
  }

  /** Called on startup. `read` returns the deferred counts with a higher number. The counts of a closed hour already include them. */
  recover(read: (after: number) => readonly DeferredEnd[]): void {
    const running = this.#read();
    for (const { number, at, names } of read(running.ends ?? 0)) {
      running.ends = Math.max(running.ends ?? 0, number);
      if (hourOf(at) !== running.hour) continue;
      for (const name of names) addTo(running.counts, name, 1);
      this.#deferred.push(...names);
    }
  }

  setConnected(connected: boolean, now: number): void {
    if (this.#stagedConnected() === connected) return;
    const at = Math.max(now, this.#read().hour);
    for (const [name, amount] of Object.entries(connectionChange(connected, at))) this.add(name, amount);
  }

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

  savepoint(): () => void {
    const { length } = this.#staged;
    return () => void (this.#staged.length = length);
  }

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

  committed(): void {
    this.#folded = [];
  }

  /** JSON to write with the commit, or null if there are no new counts. `now` is in Unix ms. */
  take(now: number): string | null {
    if (this.#staged.length === 0) return null;
    const running = this.#runningAt(now);
    for (const [name, amount] of this.#staged) addTo(running.counts, name, amount);
    running.connected = this.#stagedConnected();
    this.#staged = [];
    this.#fold();
    return JSON.stringify(running);
  }

  flush(now: number): void {
    const counts = this.take(now);
    this.#progress.store({ seq: null, counts, cold: null, sessions: null, facts: 0 });
    this.committed();
  }

  /** Counts with a write of its own. If the disk is full, the count is lost. */
  addAlone(name: string, now: number): void {
    try {
      this.add(name);
      this.flush(now);
    } catch (error) {
      if (!isStorageFailure(error)) throw error;
      this.rolledBack();
    }
  }

  get oldestUnpushed(): number | null {
    this.#oldestUnpushed ??= this.#oldestUnpushed === undefined ? this.#readOldestUnpushed() : null;
    if (this.#oldestUnpushed !== null) return this.#oldestUnpushed;
    const { counts, hour } = this.#read();
    return Object.keys(counts).length === 0 ? null : hour;
  }

  get pushedAt(): number {
    this.#pushedAt ??= readNumber(this.#sql, "SELECT max(pushed_at) FROM counted_hour") ?? 0;
    return this.#pushedAt;
  }

  /** Adds the counts of future hours that are missing from D1 to the hour of `now` (Unix ms). Also called on startup. */
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

  hoursSince(from: number): Map<number, Counts> {
    const query = "SELECT hour, counts FROM counted_hour WHERE hour >= ?";
    const ended = this.#sql.exec<{ hour: number; counts: string }>(query, hourOf(from)).toArray();
    const hours = new Map(ended.map(({ hour, counts }) => [hour, JSON.parse(counts) as Counts]));
    const { counts, hour } = this.#read();
    if (!hours.has(hour)) hours.set(hour, counts);
    return hours;
  }

  /** Hours before `before` (Unix ms) that D1 lacks. `connected` says whether the number was connected at their end. */
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

  /** Marks the hours as pushed. Excludes hours that changed during the push, and the current hour, which is pushed at its end. */
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

  /** The hour in which to count at `now`. After the clock was set back, the open hour stays the same. */
  #runningAt(now: number): Running {
    const running = this.#read();
    if (hourOf(now) <= running.hour) return running;
    this.#close(running);
    this.#running = { ...this.#read(), hour: hourOf(now), counts: this.#reopen(hourOf(now)) };
    return this.#running;
  }

  /** Reopens a closed hour after the clock was changed. The caller must write the current hour in the same block. */
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
    // Moves on to the next hour, so that the closed hour gets no new counts if the clock is set back.
    this.#running = { hour: hour + HOUR_MS, counts: {}, connected, ...(ends !== undefined && { ends }) };
  }

  #fold(): void {
    this.#folded.push(...this.#deferred);
    this.#deferred = [];
  }

  #read(): Running {
    if (this.#running !== undefined) return this.#running;
    const stored = this.#progress.counts;
    const running = stored === null ? { hour: 0, counts: {}, connected: false } : (JSON.parse(stored) as Running);
    // A closed hour stays in the progress row until the next count. The new hour then replaces it there.
    const closed = this.#sql.exec("SELECT 1 FROM counted_hour WHERE hour = ?", running.hour).toArray().length > 0;
    this.#running = closed ? { ...running, hour: running.hour + HOUR_MS, counts: {} } : running;
    return this.#running;
  }

  #readOldestUnpushed(): number | null {
    return readNumber(this.#sql, "SELECT min(hour) FROM counted_hour WHERE unpushed = 1");
  }
}
