// The files of one request, between the route that found them in its body and the object that asks for them.
import { pendingMedia, type MediaRef } from "../protocol/content.ts";
import type { StoreFiles } from "../protocol/connection.ts";
import { type GivenFile, storeGivenFile, type FileStorage } from "../services/media/given-file.ts";

export class RequestFiles {
  readonly #files: GivenFile[] = [];

  /** What stands in the operation's input until the object asks for the file. */
  add(file: GivenFile): MediaRef {
    this.#files.push(file);
    return pendingMedia(this.#files.length - 1);
  }

  /** How the object asks for them; null when the request has none. Each file is let go of when it is stored. */
  storeFiles(taking: Omit<FileStorage, "retentionMs">): StoreFiles | null {
    if (this.#files.length === 0) return null;
    return async (retentionMs) => {
      const stored: MediaRef[] = [];
      for (const file of this.#files.splice(0)) {
        const taken = await storeGivenFile({ ...taking, retentionMs }, file, Date.now());
        if (!taken.ok) return taken;
        stored.push(taken.value);
      }
      return { ok: true, value: stored };
    };
  }
}
