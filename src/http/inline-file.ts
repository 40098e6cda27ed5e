// A file that a request's JSON carries as Base64.

/** What stands in the parsed body where the text of a `base64` field stood. */
export class InlineFile {
  /** The decoded bytes, in pieces; null when the text was not Base64. */
  readonly bytes: readonly Uint8Array[] | null;

  constructor(bytes: readonly Uint8Array[] | null) {
    this.bytes = bytes;
  }

  get size(): number {
    return (this.bytes ?? []).reduce((size, piece) => size + piece.length, 0);
  }
}
