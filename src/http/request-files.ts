// The files of one request, between the route that found them in its body and the object that asks for them.
import { pendingMedia, type MediaRef } from "../protocol/content.ts";
import type { StoreFiles } from "../protocol/connection.ts";
import { type GivenFile, takeFile, type FileStorage } from "../services/media/take-file.ts";

export class RequestFiles {
  readonly #files: GivenFile[] = [];

  /** What stands in the operation's input until the object asks for the file. */
  add(file: GivenFile): MediaRef {
    this.#files.push(file);
    return pendingMedia(this.#files.length - 1);
  }

  /** How the object asks for them; null when the request has none. Each file is let go of when it is stored. */
  storeFiles(taking: Omit<FileStorage, "keptForMs">): StoreFiles | null {
    if (this.#files.length === 0) return null;
    return async (keptForMs) => {
      const stored: MediaRef[] = [];
      for (const file of this.#files.splice(0)) {
        const taken = await takeFile({ ...taking, keptForMs }, file, Date.now());
        if (!taken.ok) return taken;
        stored.push(taken.value);
      }
      return { ok: true, value: stored };
    };
  }
}
