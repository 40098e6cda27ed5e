// Deletes the files of removed messages from R2. Their tokens are rows, so that a crash between a message and its file leaves no file.
import { mediaKey } from "@gateway/domain/media/media-link.ts";
import { errorFields, log } from "#root/src/log.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import { BackgroundTask } from "../background-task.ts";
import type { StoredTimes } from "../../shared/stored-times.ts";

/** What R2 deletes in one request. */
const BATCH_FILES = 1_000;
/** Pause after R2 could not delete. */
const TRY_AGAIN_MS = MINUTE_MS;

type Dependencies = {
  sql: SqlStorage;
  times: StoredTimes;
  /** The connection's UUID, for the log. */
  connection: string;
  /** Deletes these keys from R2, known or not. */
  remove: (keys: string[]) => Promise<unknown>;
  /** The next due time has changed. */
  rearm: () => void;
};

export class RemovedFiles {
  readonly #deps: Dependencies;
  readonly #task: BackgroundTask;
  /** Whether any file is to be deleted; null: unknown. In memory because every event of the object asks for it. */
  #waiting: boolean | null = null;

  constructor(deps: Dependencies) {
    const { connection, times, rearm } = deps;
    this.#deps = deps;
    this.#task = new BackgroundTask({
      name: "removed_files",
      pauseMs: TRY_AGAIN_MS,
      times,
      onFailed: (error) => log("media.not_removed", { connection, files: this.#next(BATCH_FILES).length, ...errorFields(error) }),
      onEnded: () => {
        this.recheck();
        rearm();
      },
    });
  }

  /** Files without a message. */
  add(tokens: readonly string[]): void {
    this.#deps.sql.exec("INSERT OR IGNORE INTO removed_files (token) SELECT value FROM json_each(?)", JSON.stringify(tokens));
    this.recheck();
  }

  /** Messages may have been removed. */
  recheck(): void {
    this.#waiting = null;
  }

  nextDue(now: number): number | null {
    this.#waiting ??= this.#next(1).length > 0;
    return this.#waiting ? this.#task.notBefore(now, now) : null;
  }

  run(now: number): void {
    this.recheck();
    if ((this.nextDue(now) ?? Number.POSITIVE_INFINITY) <= now) this.#task.start(now, () => this.#deleteBatch());
  }

  async #deleteBatch(): Promise<void> {
    const tokens = this.#next(BATCH_FILES);
    await this.#deps.remove(tokens.map(mediaKey));
    this.#deps.sql.exec("DELETE FROM removed_files WHERE token IN (SELECT value FROM json_each(?))", JSON.stringify(tokens));
  }

  #next(limit: number): string[] {
    const rows = this.#deps.sql.exec<{ token: string }>("SELECT token FROM removed_files ORDER BY token LIMIT ?", limit).toArray();
    return rows.map(({ token }) => token);
  }
}
