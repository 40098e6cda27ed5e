import { releaseAll } from "./base64-decoder.ts";

/** Replaces a `base64` string in the parsed body. */
export class InlineFile {
  readonly bytes: readonly Uint8Array<ArrayBuffer>[] | null;

  /** True if the text began like `data:image/png;base64,`. */
  readonly isDataUrl: boolean;

  constructor(bytes: readonly Uint8Array<ArrayBuffer>[] | null, isDataUrl = false) {
    this.bytes = bytes;
    this.isDataUrl = isDataUrl;
  }

  release(): void {
    releaseAll([...(this.bytes ?? [])]);
  }

  get size(): number {
    return (this.bytes ?? []).reduce((size, piece) => size + piece.length, 0);
  }
}
