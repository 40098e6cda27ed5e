// Pagination cursors, which are opaque to callers. A decoded cursor is untrusted input, so readers must validate it.
import type { z } from "zod";
import { parseJson } from "@gateway/protocol/json.ts";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { fromBase64, toBase64Url } from "./base64.ts";

export function encodeCursor(position: unknown): string {
  return toBase64Url(utf8ToBytes(JSON.stringify(position)));
}

export function decodeCursor(cursor: string): unknown {
  return parseJson(new TextDecoder().decode(fromBase64(cursor)));
}

export type CursorCodec<T> = { write: (position: T) => string; read: (cursor: string) => T | null };

export function cursorCodec<T>(schema: z.ZodType<T>): CursorCodec<T> {
  return {
    write: (position) => encodeCursor(position),
    read: (cursor) => {
      const parsed = schema.safeParse(decodeCursor(cursor));
      return parsed.success ? parsed.data : null;
    },
  };
}
