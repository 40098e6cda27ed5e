// Base64 and Base64url (RFC 4648, sections 4 and 5). Uses Buffer, because Node 24 has no `Uint8Array.toBase64`.

export function toBase64(bytes: Uint8Array): string {
  return viewOf(bytes).toString("base64");
}

export function toBase64Url(bytes: Uint8Array): string {
  return viewOf(bytes).toString("base64url");
}

/** Accepts both alphabets without validation, because callers verify the bytes with a tag, a cipher or a schema. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, "base64"));
}

function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
