// Brings a change of the account (suspension, subscription) to the objects of all its connections, page by page: those of a large account
// are more than one invocation may call.
import type { Env } from "../../src/env.ts";
import { errorFields, log } from "../../src/log.ts";
import { pushAgain, pushPage } from "../../src/services/connections/push-records.ts";
import type { Migrations } from "../shared/migrate.ts";

export const PUSH_MIGRATIONS: Migrations = [
  // A walk through the account's connections; those with ids up to `after` have been told. A new walk has a higher number.
  `CREATE TABLE push (
     one INTEGER PRIMARY KEY CHECK (one = 1), number INTEGER NOT NULL, user_id TEXT NOT NULL, after INTEGER, due_at INTEGER
   );
   CREATE TABLE push_failed (uuid TEXT PRIMARY KEY, due_at INTEGER NOT NULL) WITHOUT ROWID;`,
];

/** After this time what failed is tried again. */
const TRY_AGAIN_MS = 10_000;
/** How many of those that failed are tried again at once. */
const RETRIED = 90;

/** `after` null: it has ended. */
type Walk = { number: number; user_id: string; after: number | null; due_at: number | null };

export class RecordPusher {
  readonly #sql: SqlStorage;
  readonly #env: () => Env;
  /** Pages one after the other, so that an older record never arrives behind a newer one. */
  #last: Promise<unknown> = Promise.resolve();
  #running = 0;

  constructor(sql: SqlStorage, env: () => Env) {
    this.#sql = sql;
    this.#env = env;
  }

  /** Begins a walk. When it returns, the first page has been told. `stored`: called once the walk survives a crash. */
  async start(userId: string, now: number, stored: () => Promise<void>): Promise<void> {
    const number = (this.#walk()?.number ?? 0) + 1;
    const due = now + TRY_AGAIN_MS;
    this.#sql.exec("INSERT OR REPLACE INTO push (one, number, user_id, after, due_at) VALUES (1, ?, ?, 0, ?)", number, userId, due);
    await stored();
    await this.#inTurn(() => this.#page(number));
  }

  /** Unix ms; null: everybody knows. */
  nextDue(now: number): number | null {
    if (this.#running > 0) return now + TRY_AGAIN_MS;
    const failed = this.#sql.exec<{ at: number | null }>("SELECT min(due_at) AS at FROM push_failed").one().at;
    const dues = [this.#walk()?.due_at ?? null, failed].filter((due) => due !== null);
    return dues.length === 0 ? null : Math.min(...dues);
  }

  /** Goes on with what is due; `ended` is called afterwards. */
  run(now: number, ended: () => Promise<void>): void {
    const walk = this.#walk();
    if (walk === null || this.#running > 0 || (this.nextDue(now) ?? Number.POSITIVE_INFINITY) > now) return;
    const isDue = walk.due_at !== null && walk.due_at <= now;
    void this.#inTurn(() => (isDue ? this.#page(walk.number) : this.#retry(walk.user_id, now)))
      .catch((error: unknown) => log("account.records_not_pushed", { user: walk.user_id, ...errorFields(error) }))
      .finally(ended);
  }

  async #inTurn(work: () => Promise<void>): Promise<void> {
    this.#running += 1;
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    await turn.finally(() => {
      this.#running -= 1;
    });
  }

  async #page(number: number): Promise<void> {
    const walk = this.#walk();
    // A later walk tells the same connections, and something newer.
    if (walk === null || walk.after === null || walk.number !== number) return;
    this.#sql.exec("UPDATE push SET due_at = ?", Date.now() + TRY_AGAIN_MS);
    const { next, failed } = await pushPage(this.#env(), walk.user_id, walk.after);
    for (const uuid of failed) this.#tryLater(uuid);
    this.#sql.exec("UPDATE push SET after = ?, due_at = ? WHERE number = ?", next, next === null ? null : Date.now(), number);
  }

  async #retry(userId: string, now: number): Promise<void> {
    const due = this.#sql
      .exec<{ uuid: string }>("SELECT uuid FROM push_failed WHERE due_at <= ? ORDER BY due_at LIMIT ?", now, RETRIED)
      .toArray()
      .map(({ uuid }) => uuid);
    for (const uuid of due) this.#tryLater(uuid);
    const failed = new Set(await pushAgain(this.#env(), userId, due));
    for (const uuid of due) if (!failed.has(uuid)) this.#sql.exec("DELETE FROM push_failed WHERE uuid = ?", uuid);
  }

  #tryLater(uuid: string): void {
    this.#sql.exec("INSERT OR REPLACE INTO push_failed (uuid, due_at) VALUES (?, ?)", uuid, Date.now() + TRY_AGAIN_MS);
  }

  #walk(): Walk | null {
    return this.#sql.exec<Walk>("SELECT number, user_id, after, due_at FROM push").toArray()[0] ?? null;
  }
}
