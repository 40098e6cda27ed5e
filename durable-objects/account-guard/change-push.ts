// Pushes an account change to the objects of all its connections. One invocation cannot make enough calls for a large account, so the
// object calls itself, and each of these relays pushes to one stored share of the connections.
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import type { TimeColumn } from "../shared/clock-steps.ts";
import { errorFields, log } from "#root/src/log.ts";
import type { ChangeKind, Target, AccountChange, PushOutcome } from "#root/src/services/account-change.ts";
import type { Migrations } from "../shared/migrate.ts";
import { countRows, readNumber } from "../shared/read-number.ts";

export const PUSH_MIGRATIONS: Migrations = [
  // The pushes, their shares of the account's connections, and the connections whose push failed. A later change of the same kind has a
  // higher number and replaces the earlier one. Within a share, the connections with ids up to `after` already have the change.
  `CREATE TABLE fan (
     kind TEXT PRIMARY KEY, number INTEGER NOT NULL, user_id TEXT NOT NULL, revision INTEGER NOT NULL, is_cut INTEGER NOT NULL, due_at INTEGER
   ) WITHOUT ROWID;
   CREATE TABLE fan_share (kind TEXT, until INTEGER, after INTEGER NOT NULL, PRIMARY KEY (kind, until)) WITHOUT ROWID;
   CREATE TABLE fan_failed (kind TEXT, uuid TEXT, due_at INTEGER NOT NULL, PRIMARY KEY (kind, uuid)) WITHOUT ROWID;`,
  "ALTER TABLE fan RENAME TO push; ALTER TABLE fan_share RENAME TO push_share; ALTER TABLE fan_failed RENAME TO push_failed",
];

export const PUSH_TIMES: readonly TimeColumn[] = [
  { table: "push", column: "due_at", longestMs: MINUTE_MS },
  { table: "push_failed", column: "due_at", longestMs: MINUTE_MS },
];

/** As many as one invocation can call. Each share also costs one D1 statement. */
const CONNECTIONS_PER_SHARE = 850;
const CONCURRENT_RELAYS = 20;
/** The platform allows six open connections per invocation. */
const CONCURRENT_CALLS = 6;
/** Includes retries. An invocation may make 1,000 subrequests. */
const CALLS_PER_RELAY = 900;
const TRY_AGAIN_MS = 10_000;
const RETRIES_PER_RUN = 90;

type StoredPush = { number: number; user_id: string; revision: number; is_split: number; due_at: number | null };

export type PushDependencies = {
  sql: SqlStorage;
  read: (kind: ChangeKind, userId: string) => Promise<AccountChange>;
  splitIntoShares: (userId: string, size: number) => Promise<number[]>;
  send: (userId: string, kind: ChangeKind, number: number, until: number) => Promise<boolean>;
  pushed: (kind: ChangeKind, userId: string, revision: number) => Promise<void>;
  /** Called when the next due time may have changed. */
  rearm: () => void;
};

export class ChangePush {
  readonly #dependencies: PushDependencies;
  readonly #sql: SqlStorage;
  /** The latest round of each kind. Rounds of one kind run one at a time, so that an older change never arrives after a newer one. */
  readonly #last = new Map<ChangeKind, Promise<unknown>>();
  readonly #changes = new Map<ChangeKind, AccountChange>();
  #running = 0;

  constructor(dependencies: PushDependencies) {
    this.#dependencies = dependencies;
    this.#sql = dependencies.sql;
  }

  /** Resolves after one attempt per object. Joins a running push that covers `revision` (0: unknown), or starts a new one. */
  async start(kind: ChangeKind, userId: string, revision: number, now: number): Promise<PushOutcome> {
    const push = this.#stored(kind);
    const isKnown = push !== null && revision > 0 && push.revision >= revision && this.#stateOf(kind) !== "pushed";
    if (!isKnown) this.#begin(kind, userId, revision, (push?.number ?? 0) + 1, now + TRY_AGAIN_MS);
    this.#dependencies.rearm();
    const { number } = this.#stored(kind) ?? { number: 0 };
    await this.#serialize(kind, () => this.#round(kind, number));
    return this.#stateOf(kind);
  }

  nextDue(now: number): number | null {
    if (this.#running > 0) return now + TRY_AGAIN_MS;
    return readNumber(this.#sql, "SELECT min(at) FROM (SELECT due_at AS at FROM push UNION ALL SELECT min(due_at) FROM push_failed)");
  }

  run(now: number): void {
    if (this.#running > 0) return;
    for (const kind of ["endpoints", "records"] as const) {
      const push = this.#stored(kind);
      if (push === null) continue;
      const isDue = push.due_at !== null && push.due_at <= now;
      const failed = isDue ? [] : this.#failed(kind, now);
      if (!isDue && failed.length === 0) continue;
      void this.#serialize(kind, () => (isDue ? this.#round(kind, push.number) : this.#retry(kind, push, failed)))
        .catch((error: unknown) => log("account.change_not_pushed", { user: push.user_id, kind, ...errorFields(error) }))
        .finally(this.#dependencies.rearm);
    }
  }

  /** Pushes to the objects of a share until the call budget is used up. Returns true once the share is done. */
  async relay(kind: ChangeKind, number: number, until: number): Promise<boolean> {
    const change = this.#changes.get(kind);
    const [share] = this.#sql.exec<{ after: number }>("SELECT after FROM push_share WHERE kind = ? AND until = ?", kind, until).toArray();
    if (change === undefined || share === undefined || !this.#isCurrent(kind, number)) return true;
    const targets = await change.between(share.after, until);
    let calls = 0;
    for (let at = 0; at < targets.length; at += CONCURRENT_CALLS) {
      const batch = targets.slice(at, at + CONCURRENT_CALLS);
      if (!this.#isCurrent(kind, number)) return true;
      if (calls + 2 * batch.length > CALLS_PER_RELAY) return false;
      const failed = await this.#pushTo(kind, batch);
      calls += batch.length + failed.length;
      if (!this.#isCurrent(kind, number)) return true;
      for (const uuid of failed) this.#tryLater(kind, uuid);
      this.#sql.exec("UPDATE push_share SET after = ? WHERE kind = ? AND until = ?", batch.at(-1)?.id ?? until, kind, until);
    }
    this.#sql.exec("DELETE FROM push_share WHERE kind = ? AND until = ?", kind, until);
    return true;
  }

  #begin(kind: ChangeKind, userId: string, revision: number, number: number, dueAt: number): void {
    this.#sql.exec("DELETE FROM push_share WHERE kind = ?", kind);
    this.#sql.exec("DELETE FROM push_failed WHERE kind = ?", kind);
    this.#sql.exec(
      "INSERT OR REPLACE INTO push (kind, number, user_id, revision, is_cut, due_at) VALUES (?, ?, ?, ?, 0, ?)",
      kind,
      number,
      userId,
      revision,
      dueAt,
    );
  }

  async #serialize(kind: ChangeKind, work: () => Promise<void>): Promise<void> {
    this.#running += 1;
    const done = (this.#last.get(kind) ?? Promise.resolve()).then(work);
    this.#last.set(
      kind,
      done.catch(() => undefined),
    );
    await done.finally(() => {
      this.#running -= 1;
    });
  }

  async #round(kind: ChangeKind, number: number): Promise<void> {
    const push = this.#stored(kind);
    if (push?.number !== number || push.due_at === null) return;
    const { user_id: userId } = push;
    this.#sql.exec("UPDATE push SET due_at = ? WHERE kind = ?", Date.now() + TRY_AGAIN_MS, kind);
    const change = await this.#dependencies.read(kind, userId);
    this.#changes.set(kind, change);
    if (push.is_split === 0) {
      const ends = await this.#dependencies.splitIntoShares(userId, CONNECTIONS_PER_SHARE);
      if (!this.#isCurrent(kind, number)) return;
      let after = 0;
      for (const until of ends) {
        this.#sql.exec("INSERT INTO push_share (kind, until, after) VALUES (?, ?, ?)", kind, until, after);
        after = until;
      }
      // Stores the revision at which the shares were read. A later change starts its own push.
      this.#sql.exec("UPDATE push SET is_cut = 1, revision = ? WHERE kind = ?", change.revision, kind);
    }
    const shares = this.#shares(kind);
    const relays = await Promise.allSettled(
      Array.from({ length: CONCURRENT_RELAYS }, () => this.#pushShares(kind, userId, number, shares)),
    );
    const failed = relays.find((relay) => relay.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    await this.#finish(kind, number);
  }

  async #pushShares(kind: ChangeKind, userId: string, number: number, shares: number[]): Promise<void> {
    for (let until = shares.shift(); until !== undefined; until = shares.shift()) {
      while (!(await this.#dependencies.send(userId, kind, number, until)));
    }
  }

  async #finish(kind: ChangeKind, number: number): Promise<void> {
    if (!this.#isCurrent(kind, number) || this.#shares(kind).length > 0) return;
    const push = this.#stored(kind);
    if (push !== null && this.#failedCount(kind) === 0) {
      this.#sql.exec("UPDATE push SET due_at = ? WHERE kind = ?", Date.now() + TRY_AGAIN_MS, kind);
      await this.#dependencies.pushed(kind, push.user_id, push.revision);
    }
    this.#sql.exec("UPDATE push SET due_at = NULL WHERE kind = ? AND number = ?", kind, number);
  }

  async #retry(kind: ChangeKind, { number, user_id: userId }: StoredPush, due: readonly string[]): Promise<void> {
    for (const uuid of due) this.#tryLater(kind, uuid);
    const change = await this.#dependencies.read(kind, userId);
    const failed = new Set(await this.#pushTo(kind, await change.named(due)));
    if (!this.#isCurrent(kind, number)) return;
    for (const uuid of due) if (!failed.has(uuid)) this.#sql.exec("DELETE FROM push_failed WHERE kind = ? AND uuid = ?", kind, uuid);
    await this.#finish(kind, number);
  }

  async #pushTo(kind: ChangeKind, targets: readonly Target[]): Promise<string[]> {
    const failed: string[] = [];
    for (let at = 0; at < targets.length; at += CONCURRENT_CALLS) {
      await Promise.all(
        targets.slice(at, at + CONCURRENT_CALLS).map(({ uuid, push }) =>
          push().catch((error: unknown) => {
            log("account.record_not_pushed", { connection: uuid, kind, ...errorFields(error) });
            failed.push(uuid);
          }),
        ),
      );
    }
    return failed;
  }

  #tryLater(kind: ChangeKind, uuid: string): void {
    this.#sql.exec("INSERT OR REPLACE INTO push_failed (kind, uuid, due_at) VALUES (?, ?, ?)", kind, uuid, Date.now() + TRY_AGAIN_MS);
  }

  #stored(kind: ChangeKind): StoredPush | null {
    return (
      this.#sql
        .exec<StoredPush>("SELECT number, user_id, revision, is_cut AS is_split, due_at FROM push WHERE kind = ?", kind)
        .toArray()[0] ?? null
    );
  }

  #isCurrent(kind: ChangeKind, number: number): boolean {
    return this.#stored(kind)?.number === number;
  }

  #shares(kind: ChangeKind): number[] {
    const rows = this.#sql.exec<{ until: number }>("SELECT until FROM push_share WHERE kind = ? ORDER BY until", kind).toArray();
    return rows.map(({ until }) => until);
  }

  #failed(kind: ChangeKind, now: number): string[] {
    return this.#sql
      .exec<{ uuid: string }>(
        "SELECT uuid FROM push_failed WHERE kind = ? AND due_at <= ? ORDER BY due_at LIMIT ?",
        kind,
        now,
        RETRIES_PER_RUN,
      )
      .toArray()
      .map(({ uuid }) => uuid);
  }

  #failedCount(kind: ChangeKind): number {
    return countRows(this.#sql, "push_failed WHERE kind = ?", kind);
  }

  #stateOf(kind: ChangeKind): PushOutcome {
    if ((this.#stored(kind)?.due_at ?? null) !== null) return "under_way";
    return this.#failedCount(kind) > 0 ? "failed" : "pushed";
  }
}
