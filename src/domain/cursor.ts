// Cursors of lists: opaque to callers. Their content is untrusted: readers have to check it.
import type { z } from "zod";
import { parseJson } from "@gateway/protocol/json.ts";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { fromBase64, toBase64Url } from "./base64.ts";

export function encodeCursor(position: unknown): string {
  return toBase64Url(utf8ToBytes(JSON.stringify(position)));
}

/** undefined when it is not a cursor. */
export function decodeCursor(cursor: string): unknown {
  return parseJson(new TextDecoder().decode(fromBase64(cursor)));
}

export type CursorCodec<T> = { write: (position: T) => string; read: (cursor: string) => T | null };

/** The cursors of one list; the schema validates their content. */
export function cursorCodec<T>(schema: z.ZodType<T>): CursorCodec<T> {
  return {
    write: (position) => encodeCursor(position),
    read: (cursor) => {
      const parsed = schema.safeParse(decodeCursor(cursor));
      return parsed.success ? parsed.data : null;
    },
  };
}
