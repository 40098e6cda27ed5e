// The files of one request, from the parsed body until the object has admitted the call and stores them.
import { pendingMedia, type MediaRef } from "../protocol/content.ts";
import type { StoreFiles } from "../protocol/connection.ts";
import { type GivenFile, storeGivenFile, type FileStorage } from "../services/media/given-file.ts";

export class RequestFiles {
  readonly #files: GivenFile[] = [];

  /** The placeholder in the operation's input until the object stores the file. */
  add(file: GivenFile): MediaRef {
    this.#files.push(file);
    return pendingMedia(this.#files.length - 1);
  }

  /** The callback by which the object stores them; null without files. Each file is released once it is stored. */
  storeFiles(storage: Omit<FileStorage, "retentionMs">): StoreFiles | null {
    if (this.#files.length === 0) return null;
    return async (retentionMs) => {
      const stored: MediaRef[] = [];
      for (const file of this.#files.splice(0)) {
        const taken = await storeGivenFile({ ...storage, retentionMs }, file, Date.now());
        if (!taken.ok) return taken;
        stored.push(taken.value);
      }
      return { ok: true, value: stored };
    };
  }
}
