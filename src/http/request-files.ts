import { pendingMedia, type MediaRef } from "@gateway/protocol/content.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";
import type { StoreFiles } from "@gateway/protocol/connection.ts";
import { type GivenFile, storeGivenFile, type FileStorage } from "../services/media/given-file.ts";
import { settingsOf } from "../env.ts";
import { connectionIsRemoved } from "../services/connections/existence.ts";
import type { AppContext } from "./app-env.ts";

export class RequestFiles {
  readonly #files: GivenFile[] = [];
  readonly #release: () => void;
  #storing = false;

  constructor(release: () => void) {
    this.#release = release;
  }

  /** Adds the file. Returns a placeholder for the operation's input. */
  add(file: GivenFile): MediaRef {
    this.#files.push(file);
    return pendingMedia(this.#files.length - 1);
  }

  /** Returns a callback that the object calls to store the files and free their memory. Null if there are no files. */
  storeFiles(storage: Omit<FileStorage, "retentionMs">): StoreFiles | null {
    if (this.#files.length === 0) return null;
    return async (retentionMs) => {
      this.#storing = true;
      try {
        return await this.#store({ ...storage, retentionMs });
      } finally {
        this.#release();
      }
    };
  }

  /** Called at the end of the call. Files that are still being stored keep their memory until they are stored. */
  release(): void {
    if (!this.#storing) this.#release();
  }

  async #store(storage: FileStorage): Promise<Outcome<MediaRef[]>> {
    const stored: MediaRef[] = [];
    for (const file of this.#files.splice(0)) {
      const taken = await storeGivenFile(storage, file, Date.now());
      if (!taken.ok) return taken;
      stored.push(taken.value);
    }
    return { ok: true, value: stored };
  }
}

export function fileStorageOf(c: AppContext, connection: string): Omit<FileStorage, "retentionMs"> {
  const { APP_URL, BASE_URL } = settingsOf(c.env);
  const { EGRESS, MEDIA } = c.env;
  return {
    bucket: MEDIA,
    outside: {
      policy: { own: [APP_URL, BASE_URL], loopback: c.get("allowsLoopback") },
      fetch: (url, init) => (EGRESS === undefined ? fetch(url, init) : EGRESS.fetch(url, init)),
    },
    appUrl: APP_URL,
    connection,
    isRemoved: (uuid) => connectionIsRemoved(c.env.DB, uuid),
  };
}
