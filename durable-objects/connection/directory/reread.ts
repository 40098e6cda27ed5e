// Rereads the D1 record once a day, in case a push was lost or D1 was restored. No other work waits for this read.
import type { CatchUp } from "@gateway/domain/catch-up.ts";
import { gridOf, type Grid } from "@gateway/domain/spread.ts";
import type { Env } from "#root/src/env.ts";
import { errorFields, log } from "#root/src/log.ts";
import { ConnectionRecord } from "@gateway/protocol/connection.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { readConfiguration } from "#root/src/services/account-webhooks/configuration.ts";
import { lookUpRecord } from "#root/src/services/connections/record.ts";
import type { Migrations } from "../../shared/migrate.ts";
import type { Scheduled } from "../../shared/alarm.ts";
import type { AccountEndpoints } from "../delivery/account-endpoints.ts";
import type { DirectoryUpdater } from "./directory-updater.ts";
import { BackgroundTask } from "../store/background-task.ts";
import type { Identity } from "../instance/identity.ts";
import type { StoredTimes } from "../../shared/stored-times.ts";

export const REREAD_MIGRATIONS: Migrations = ["CREATE TABLE reread (one INTEGER PRIMARY KEY CHECK (one = 1), at INTEGER NOT NULL)"];

const TRY_AGAIN_MS = 10 * MINUTE_MS;
const UNREADABLE_MS = HOUR_MS;
const UNREADABLE = "reread.unreadable";

type Dependencies = {
  sql: SqlStorage;
  env: Env;
  identity: Pick<Identity, "record" | "uuid" | "isUnreadable">;
  catchUp: Pick<CatchUp, "notBefore">;
  times: StoredTimes;
  accountEndpoints: Pick<AccountEndpoints, "revision" | "reread">;
  directory: Pick<DirectoryUpdater, "compare">;
  configure: (record: ConnectionRecord) => void;
  ended: () => void;
};

export class Reread implements Scheduled {
  readonly #deps: Dependencies;
  readonly #grid: Grid;
  readonly #task: BackgroundTask;
  #at: number | null = null;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#grid = gridOf(deps.identity.uuid, DAY_MS);
    this.#task = new BackgroundTask({
      name: "reread",
      pauseMs: TRY_AGAIN_MS,
      times: deps.times,
      onFailed: (error) => log("connection.not_reread", { connection: deps.identity.uuid, ...errorFields(error) }),
      onEnded: deps.ended,
    });
  }

  nextDue(now: number): number | null {
    const { catchUp, identity, times } = this.#deps;
    if (identity.record === null) return null;
    this.#at ??= this.#readAt(now);
    const daily = this.#task.notBefore(this.#grid(this.#at + 1), now);
    // Rereads sooner if the proxy cannot be decrypted, because D1 has its URL and the session cannot connect without it.
    if (identity.isUnreadable) return Math.min(daily, this.#task.notBefore(times.get(UNREADABLE) ?? 0, now));
    return catchUp.notBefore(daily);
  }

  run(now: number): void {
    const due = this.nextDue(now);
    if (due !== null && due <= now) this.#task.start(now, () => this.#read(now));
  }

  async #read(now: number): Promise<void> {
    const { accountEndpoints, configure, directory, env, identity } = this.#deps;
    const { uuid } = identity;
    const known = accountEndpoints.revision;
    const reread = await readConfiguration(env, uuid, known);
    const { record } = identity;
    if (record === null) return;
    // Reads the record with its revision, so that a concurrent push is not undone.
    const newer = reread === null || isSame(reread.record, record) ? null : await lookUpRecord(env, uuid);
    if (identity.record === null) return;
    this.#storeAt(now);
    if (reread !== null) directory.compare(reread.state);
    if (newer !== null) configure(newer);
    if (identity.isUnreadable) this.#deps.times.set(UNREADABLE, now + UNREADABLE_MS);
    if (reread !== null && reread.endpoints !== null) accountEndpoints.reread(reread.endpoints, reread.revision, known);
  }

  #readAt(now: number): number {
    const row = this.#deps.sql.exec<{ at: number }>("SELECT at FROM reread").toArray()[0];
    if (row === undefined) this.#storeAt(now);
    return row?.at ?? now;
  }

  #storeAt(now: number): void {
    this.#at = now;
    this.#deps.sql.exec("INSERT OR REPLACE INTO reread (one, at) VALUES (1, ?)", now);
  }
}

/** Compares two records without their revisions. Parsing gives both the same key order. */
function isSame(one: ConnectionRecord, other: ConnectionRecord): boolean {
  const [first, second] = [one, other].map((record) => JSON.stringify(ConnectionRecord.parse({ ...record, revision: 0 })));
  return first === second;
}
