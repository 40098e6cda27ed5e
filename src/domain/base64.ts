// Base64 and Base64url (RFC 4648, sections 4 and 5). Node's Buffer is there in workerd and in Node; `Uint8Array.toBase64` is not yet in Node 24.

export function toBase64(bytes: Uint8Array): string {
  return viewOf(bytes).toString("base64");
}

/** Without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return viewOf(bytes).toString("base64url");
}

/** The bytes of a text in either alphabet. Lenient: callers check what they decoded, by a tag, a cipher or a schema. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, "base64"));
}

function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
