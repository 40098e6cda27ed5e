// Deletes removed messages' files from R2. Their tokens are stored as rows, so that a crash leaks no file.
import { mediaKey } from "@gateway/domain/media/media-link.ts";
import type { MediaRef } from "@gateway/protocol/content.ts";
import { errorFields, log } from "#root/src/log.ts";
import { isStorageFailure } from "#root/src/services/exceptions.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import { BackgroundTask } from "../store/background-task.ts";
import type { StoredTimes } from "../../shared/stored-times.ts";

// Tokens of files whose message is gone or never came. Triggers write them, so that no deletion path leaks a file. A message stored under
// two ids has its file in both rows.
export const REMOVED_FILE_SCHEMA = `
  CREATE TABLE removed_files (token TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TRIGGER message_file_removed AFTER DELETE ON messages WHEN json_extract(OLD.media, '$.token') IS NOT NULL AND NOT EXISTS
    (SELECT 1 FROM messages m WHERE m.message_id = OLD.message_id AND json_extract(m.media, '$.token') = json_extract(OLD.media, '$.token')) BEGIN
    INSERT OR IGNORE INTO removed_files (token) VALUES (json_extract(OLD.media, '$.token'));
  END;
  CREATE TRIGGER message_file_erased AFTER UPDATE OF media ON messages WHEN NEW.media IS NULL AND json_extract(OLD.media, '$.token') IS NOT NULL BEGIN
    INSERT OR IGNORE INTO removed_files (token) VALUES (json_extract(OLD.media, '$.token'));
  END;
  CREATE TRIGGER early_file_dropped AFTER DELETE ON early WHEN OLD.kind = 'media' AND json_extract(OLD.value, '$.token') IS NOT NULL AND NOT EXISTS
    (SELECT 1 FROM messages m WHERE m.message_id = OLD.message_id AND json_extract(m.media, '$.token') = json_extract(OLD.value, '$.token')) BEGIN
    INSERT OR IGNORE INTO removed_files (token) VALUES (json_extract(OLD.value, '$.token'));
  END;
  CREATE TRIGGER early_file_replaced AFTER UPDATE OF value ON early WHEN OLD.kind = 'media' AND json_extract(OLD.value, '$.token') IS NOT NULL
    AND json_extract(OLD.value, '$.token') IS NOT json_extract(NEW.value, '$.token') BEGIN
    INSERT OR IGNORE INTO removed_files (token) VALUES (json_extract(OLD.value, '$.token'));
  END;`;

const BATCH_FILES = 1_000;
const TRY_AGAIN_MS = MINUTE_MS;

type Dependencies = {
  sql: SqlStorage;
  times: StoredTimes;
  connection: string;
  remove: (keys: string[]) => Promise<unknown>;
  rearm: () => void;
};

export class RemovedFiles {
  readonly #deps: Dependencies;
  readonly #task: BackgroundTask;
  /** True if any file must be deleted, null if unknown. The value is cached, because every event that the object handles needs it. */
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

  add(tokens: readonly string[]): void {
    this.#deps.sql.exec("INSERT OR IGNORE INTO removed_files (token) SELECT value FROM json_each(?)", JSON.stringify(tokens));
    this.recheck();
  }

  /** Like `add`, but ignores a full disk, because the call's outcome is already known. The files then stay until they expire. */
  discard(files: readonly MediaRef[]): void {
    try {
      this.add(files.map(({ token }) => token));
    } catch (error) {
      if (!isStorageFailure(error)) throw error;
    }
  }

  recheck(): void {
    this.#waiting = null;
  }

  nextDue(now: number): number | null {
    this.#waiting ??= this.#deps.sql.exec<{ any: number }>("SELECT EXISTS (SELECT 1 FROM removed_files) AS any").one().any === 1;
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
