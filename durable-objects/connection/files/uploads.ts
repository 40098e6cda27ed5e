// Dashboard uploads, which are limited in total size and deleted after an hour.
import { LIMITS } from "@gateway/domain/limits.ts";
import { fail, succeed } from "@gateway/protocol/failures.ts";
import { UploadLedger } from "../../shared/upload-ledger.ts";
import type { HandlersOf } from "../handlers.ts";
import type { RemovedFiles } from "./removed-files.ts";

export class Uploads {
  readonly #ledger: UploadLedger;
  readonly #removedFiles: Pick<RemovedFiles, "add">;
  /** When the next upload expires, or undefined if unknown. Cached, because every event that the object handles needs it. */
  #due: number | null | undefined;

  constructor(sql: SqlStorage, removedFiles: Pick<RemovedFiles, "add">) {
    this.#ledger = new UploadLedger(sql, LIMITS.uploads.connectionBytes);
    this.#removedFiles = removedFiles;
  }

  readonly handlers: HandlersOf<"uploads.claim"> = {
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

  /** Deletes expired uploads, which no message needs because a send copies its upload. */
  run(now: number): void {
    if ((this.nextDue() ?? Number.POSITIVE_INFINITY) > now) return;
    this.#removedFiles.add(this.#ledger.removeExpired(now));
    this.#due = undefined;
  }
}
