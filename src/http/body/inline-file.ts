// A file that a request's JSON carries as Base64.

/** Replaces the text of a `base64` field in the parsed body. */
export class InlineFile {
  /** The decoded bytes, in pieces; null when the text was not Base64. */
  readonly bytes: readonly Uint8Array[] | null;

  /** The text began like `data:image/png;base64,`. */
  readonly isDataUrl: boolean;

  constructor(bytes: readonly Uint8Array[] | null, isDataUrl = false) {
    this.bytes = bytes;
    this.isDataUrl = isDataUrl;
  }

  get size(): number {
    return (this.bytes ?? []).reduce((size, piece) => size + piece.length, 0);
  }
}
