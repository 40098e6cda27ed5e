// Cursors of lists: opaque to callers. Their content is untrusted: readers have to check it.
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { fromBase64, toBase64Url } from "./base64.ts";

export function encodeCursor(position: unknown): string {
  return toBase64Url(utf8ToBytes(JSON.stringify(position)));
}

/** null: not a cursor at all. */
export function decodeCursor(cursor: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(fromBase64(cursor)));
  } catch {
    return null;
  }
}
