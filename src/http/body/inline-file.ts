// A file that a request's JSON carries as Base64.
import { releaseAll } from "./base64-decoder.ts";

/** Replaces the text of a `base64` field in the parsed body. */
export class InlineFile {
  /** The decoded bytes, in pieces; null when the text was not Base64. */
  readonly bytes: readonly Uint8Array<ArrayBuffer>[] | null;

  /** The text began like `data:image/png;base64,`. */
  readonly isDataUrl: boolean;

  constructor(bytes: readonly Uint8Array<ArrayBuffer>[] | null, isDataUrl = false) {
    this.bytes = bytes;
    this.isDataUrl = isDataUrl;
  }

  /** Hands the memory back at once. */
  release(): void {
    releaseAll([...(this.bytes ?? [])]);
  }

  get size(): number {
    return (this.bytes ?? []).reduce((size, piece) => size + piece.length, 0);
  }
}
