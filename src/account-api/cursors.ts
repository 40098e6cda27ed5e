// Typed cursors of the Account API's lists.
import { z } from "zod";
import { decodeCursor, encodeCursor } from "../domain/cursor.ts";
import { readAs } from "../http/fields.ts";

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

/** The optional query parameter `cursor` of this list. */
export function cursorField<T>(cursors: CursorCodec<T>) {
  return z.string().min(1).max(512).transform(readAs(cursors.read, "no_cursor")).optional();
}
