// Deletes the files of removed messages from R2. Their tokens are rows, so that a crash between a message and its file leaves no file.
import { mediaKey } from "../../../src/domain/media/media-link.ts";
import { errorFields, log } from "../../../src/log.ts";
import { MINUTE_MS } from "../../../src/protocol/units.ts";

/** What R2 deletes in one request. */
const BATCH_FILES = 1_000;

export class RemovedFiles {
  readonly #sql: SqlStorage;
  readonly #connection: string;
  readonly #delete: (keys: string[]) => Promise<unknown>;
  readonly #rearm: () => void;
  #deleting = false;
  /** Whether any file is to be deleted; null: unknown. In memory because every event of the object asks for it. */
  #waiting: boolean | null = null;
  /** After a failure, when it is tried again (Unix ms). */
  #notBefore = 0;

  /** `connection`: its UUID, for the log; `remove` deletes these keys from R2, known or not; `rearm`: what is due has changed. */
  constructor(sql: SqlStorage, connection: string, remove: (keys: string[]) => Promise<unknown>, rearm: () => void) {
    this.#sql = sql;
    this.#connection = connection;
    this.#delete = remove;
    this.#rearm = rearm;
  }

  /** Messages may have been removed. */
  recheck(): void {
    this.#waiting = null;
  }

  nextDue(now: number): number | null {
    if (this.#deleting) return null;
    this.#waiting ??= this.#next(1).length > 0;
    return this.#waiting ? Math.max(now, this.#notBefore) : null;
  }

  run(now: number): void {
    this.recheck();
    if ((this.nextDue(now) ?? Number.POSITIVE_INFINITY) <= now) void this.#deleteBatch(now);
  }

  async #deleteBatch(now: number): Promise<void> {
    const tokens = this.#next(BATCH_FILES);
    this.#deleting = true;
    try {
      await this.#delete(tokens.map(mediaKey));
      this.#sql.exec("DELETE FROM removed_files WHERE token IN (SELECT value FROM json_each(?))", JSON.stringify(tokens));
    } catch (error) {
      log("media.not_removed", { connection: this.#connection, files: tokens.length, ...errorFields(error) });
      this.#notBefore = now + MINUTE_MS;
    }
    this.#deleting = false;
    this.recheck();
    this.#rearm();
  }

  #next(limit: number): string[] {
    const rows = this.#sql.exec<{ token: string }>("SELECT token FROM removed_files ORDER BY token LIMIT ?", limit).toArray();
    return rows.map(({ token }) => token);
  }
}
