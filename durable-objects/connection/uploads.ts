// Uploads of people in the dashboard: at most so many bytes wait, and those that waited for an hour are deleted.
import { LIMITS } from "@gateway/domain/limits.ts";
import { fail, succeed } from "@gateway/protocol/failures.ts";
import { UploadLedger } from "../shared/upload-ledger.ts";
import type { HandlersOf } from "./handlers.ts";
import type { RemovedFiles } from "./store/removed-files.ts";

export class Uploads {
  readonly #ledger: UploadLedger;
  readonly #removedFiles: Pick<RemovedFiles, "add">;
  /** In memory because every event of the object asks for it; undefined: unknown. */
  #due: number | null | undefined;

  constructor(sql: SqlStorage, removedFiles: Pick<RemovedFiles, "add">) {
    this.#ledger = new UploadLedger(sql, LIMITS.uploads.connectionBytes);
    this.#removedFiles = removedFiles;
  }

  readonly operations: HandlersOf<"uploads.claim"> = {
    "uploads.claim": ({ token, bytes }, { now }) => {
      const waitMs = this.#ledger.claim(token, bytes, now);
      this.#due = undefined;
      return waitMs === null ? succeed({}) : fail("upload_limit", { retryAfter: Math.ceil(waitMs / 1000) });
    },
  };

  nextDue(): number | null {
    this.#due ??= this.#ledger.nextDue();
    return this.#due;
  }

  /** Messages have files of their own: an upload is copied when it is sent. */
  run(now: number): void {
    if ((this.nextDue() ?? Number.POSITIVE_INFINITY) > now) return;
    this.#removedFiles.add(this.#ledger.takeOver(now));
    this.#due = undefined;
  }
}
